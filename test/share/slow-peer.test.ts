import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { formatWebEvent } from "../../src/formats/web-events/day-file.ts";
import { Merger } from "./merger.ts";

test("a peer that takes its time is left after an hour, and the next merge goes on from there", async () => {
  await using merger = await Merger.open();
  const { crawler, peer } = merger;
  const newest = merger.today;
  for (let of = newest - 5; of <= newest; of++)
    peer.answers.set(`/share/${of}.dat`, (_, response) => {
      crawler.now += 1_300_000;
      response.end(formatWebEvent(merger.event(`/new${of}`, { polledAt: of * 86_400, modifiedAt: of * 86_400 })));
    });
  const merge = async (): Promise<readonly string[]> => {
    peer.requests.length = 0;
    const { peers } = await merger.merge({ days: 6 });
    const days = peer.requests.flatMap((path) => /\d+(?=\.dat)/.exec(path)?.[0] ?? []);
    return [...days.map((of) => String(Number(of) - newest)), peers[0]?.problem ?? ""];
  };
  const late = "the merge takes longer than an hour; the next one goes on from here";
  assert.deepEqual(await merge(), ["-5", "-4", "-3", late]);
  // The day before is asked for again, as its file may have grown.
  assert.deepEqual(await merge(), ["-4", "-3", "-2", late]);
  assert.deepEqual(await merge(), ["-3", "-2", "-1", late]);
  assert.deepEqual(await merge(), ["-2", "-1", "0", ""]);
});

test("many archives of a slow peer do not keep a merge from ending", async () => {
  await using merger = await Merger.open();
  const { crawler, peer } = merger;
  const compact = (at: number): string => new Date(at * 1000).toISOString().replace(/[-:]|\.000/g, "");
  const to = merger.seconds - 2000;
  const names = Array.from({ length: 1000 }, (_, at) => {
    return `${compact(to - at - 1)}_${compact(to - at)}.events.${String(at).padStart(16, "0")}.gz\t1\t50\t0\t-\n`;
  });
  const head = `tidemark-events 1\ncrawler\tpeer.example:80 peer/1\nepoch\t0123456789\npublication\t${compact(to)}`;
  const index = `${head}\ncomplete-from\t${compact(to - 1000)}\n\n${names.join("")}`;
  const control = "version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\n";
  peer.answers.set("/robots.shr", `${control}x-tidemark-archives: archives/index.gz\n`);
  peer.answers.set("/share/archives/index.gz", (_, response) => {
    crawler.now += 3_700_000;
    response.end(gzipSync(index));
  });
  const { peers } = await merger.merge();
  assert.match(peers[0]?.problem ?? "", /longer than an hour/);
  assert.deepEqual(
    peer.requests.filter((path) => path.includes("archives")),
    ["/share/archives/index.gz"],
  );
});
