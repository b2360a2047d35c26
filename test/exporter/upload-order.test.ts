import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listUploadOrder, type UploadOrderOptions } from "../../src/exporter/upload-order.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { PublishedReader } from "./publish/published-reader.ts";
import { TestSite } from "./publish/test-site.ts";

async function pathsOf(options: UploadOrderOptions): Promise<string[]> {
  const paths: string[] = [];
  for await (const { phase, path } of listUploadOrder(options)) paths.push(`${phase} ${path}`);
  return paths;
}

test("pages come before archives, archives before lists, the index and robots.txt", async () => {
  using site = new TestSite();
  site.write("index.html", "<p>welcome");
  site.write("a/b.html", "<p>b");
  site.write("secret.env", "not published, and uploaded all the same");
  await site.export({ sitemap: true, resourceSync: true });
  symlinkSync("index.html", join(site.docroot, "link.html"));
  symlinkSync("a", join(site.docroot, "folder-link"));
  const home = ".well-known/tidemark";
  const documentRoot = site.docroot;
  const all = await pathsOf({ documentRoot });
  const steps = [...new Set(all.map((line) => line.split(" ")[0]))];
  assert.deepEqual(steps, ["pages", "archives", "lists", "index", "robots"]);
  assert.deepEqual(
    all.filter((line) => line.startsWith("pages ")),
    ["pages a/b.html", "pages index.html", "pages link.html", "pages secret.env"],
  );
  assert.deepEqual(all.slice(-2), [`index ${home}/index.gz`, "robots robots.txt"]);
  assert.deepEqual(await pathsOf({ documentRoot, phases: ["index"] }), [`index ${home}/index.gz`]);
  async function* remote() {
    yield* ["gone.html", "index.html", "a/gone.html", "index.html/x", ""];
  }
  assert.deepEqual(await pathsOf({ documentRoot, phases: ["removals"], remote: remote() }), [
    "removals gone.html",
    "removals a/gone.html",
    "removals index.html/x",
  ]);
});

test("a reader finds a whole set after each file of an upload", async () => {
  using site = new TestSite();
  using remote = makeTempFolder();
  for (let at = 0; at < 6; at++) site.write(`${at}.html`, `<p>${at}`);
  await site.export({ segmentSize: 2, minGroup: 1 });
  for await (const { path } of listUploadOrder({ documentRoot: site.docroot }))
    cpSync(join(site.docroot, path), join(remote.path, path));
  const before = new PublishedReader(remote.path).index.publication;
  const seen = new Set<number>();
  for (let round = 0; round < 3; round++) {
    site.write("1.html", `<p>changed ${round}`);
    site.write(`new-${round}.css`, "p{}");
    site.remove(`${round + 3}.html`);
    await site.export({ segmentSize: 2, minGroup: 1 });
    for await (const { path } of listUploadOrder({ documentRoot: site.docroot })) {
      cpSync(join(site.docroot, path), join(remote.path, path));
      const reader = new PublishedReader(remote.path);
      seen.add(reader.index.publication);
      const holding = reader.readBase();
      reader.follow(holding, reader.index.base.name.to, "shortest");
    }
  }
  assert.equal(seen.size, 4, `from ${before} on, each publication was seen`);
});

test("a folder that is not published, or not whole, is refused", async () => {
  using site = new TestSite();
  site.write("index.html", "<p>welcome");
  await assert.rejects(pathsOf({ documentRoot: site.docroot }), { code: "not-found", hint: /tidemark export/ });
  await site.export();
  const [archive] = site.reader().base.archives;
  assert.ok(archive !== undefined);
  const archives = await pathsOf({ documentRoot: site.docroot, phases: ["archives"] });
  const name = archives.find((line) => line.includes("text-html") || line.includes("other"))?.split(" ")[1] ?? "";
  rmSync(join(site.docroot, name));
  await assert.rejects(pathsOf({ documentRoot: site.docroot, phases: ["index"] }), { code: "archive-corrupt" });
  mkdirSync(join(site.docroot, ".well-known/tidemark/0_20261119T120000Z.other.152ae9f9651ab057.gz"));
  writeFileSync(join(site.docroot, ".well-known/tidemark/index.gz"), "no gzip");
  await assert.rejects(pathsOf({ documentRoot: site.docroot }), { code: "not-found" });
});
