import assert from "node:assert/strict";
import { test } from "node:test";
import { formatWebEvent } from "../../src/formats/web-events/day-file.ts";
import { Merger } from "./merger.ts";

test("URLs of a spelling in which no site is crawled are left out: rules of robots.txt do not know them", async () => {
  await using merger = await Merger.open();
  const { crawler } = merger;
  crawler.site.robots = "User-agent: *\nDisallow: /secret\n";
  crawler.site.write();
  const paths = ["//secret", "/\\secret", "//other.example/x", "/a^b", "/new"];
  const records = paths.map((path) => formatWebEvent(merger.event(path, { kind: "created" })));
  merger.peer.answers.set(`/share/${merger.today}.dat`, records.join(""));
  const { added, elsewhere } = await merger.merge();
  assert.deepEqual([added, elsewhere], [1, 4]);
  const { requests } = await crawler.visit({ sources: ["links"] });
  assert.deepEqual(requests.filter((line) => line.startsWith("404")).sort(), ["404 /new"]);
});

test("URLs of peers do not open again what a site disallows to use", async () => {
  await using merger = await Merger.open();
  const { crawler } = merger;
  merger.trust();
  const options = { sources: ["links"], respectUsage: ["train-ai"], exclude: ["/none/"] } as const;
  crawler.site.answers.set("/b", (_, response) => response.setHeader("content-usage", "train-ai=n"));
  crawler.site.set({ "/b": "other" }, merger.seconds);
  for (let visits = 0; visits < 3; visits++) {
    await crawler.visit(options);
    crawler.now += 60_000;
  }
  for (const name of ["/one", "/two"]) {
    merger.say(merger.event(name, { kind: "created" }), merger.event(`/none${name}`, { kind: "created" }));
    assert.equal((await merger.merge()).added, 2);
    const { requests } = await crawler.visit(options);
    // The patterns of the crawl hold for what a peer named.
    const others = requests.filter((line) => !/ \/(?:robots.txt|[ac]?)$/.test(line));
    assert.deepEqual(others, [`404 ${name}`]);
    const known = (merger.rows() as [string][]).map(([path]) => path);
    assert.ok(known.includes(name) && !known.includes(`/none${name}`));
    crawler.now += 60_000;
  }
  // They come again in their time.
  crawler.now += 8 * 86_400_000;
  assert.ok((await crawler.visit(options)).requests.includes("200 /b"));
});
