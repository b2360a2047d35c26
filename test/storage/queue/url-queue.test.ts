import assert from "node:assert/strict";
import fs, {
  cpSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { test } from "node:test";
import type { SitePages } from "../../../src/crawler/engine/order/order-rule.ts";
import { SiteTurns } from "../../../src/crawler/engine/order/site-turns.ts";
import { readCheckpoint } from "../../../src/storage/queue/queue-folder.ts";
import { joinUrls, UrlTail } from "../../../src/storage/queue/url-lane.ts";
import { type QueuedUrl, UrlQueue } from "../../../src/storage/queue/url-queue.ts";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";

/** So little that nearly everything goes to disk. */
const tiny = { memoryBytes: 8 * 1024, segmentBytes: 4 * 1024, journalBytes: 6 * 1024 };

const urlOf = (number: number): QueuedUrl => ({
  url: `https://site-${number % 5}.example/${"long/".repeat(number % 7)}${number}`,
  site: `site-${number % 5}.example`,
  priority: number % 3,
});

function takeAll(queue: UrlQueue): string[] {
  const urls: string[] = [];
  for (let site = 0; site < queue.sites; site++) {
    for (let number = queue.take(site); number !== undefined; number = queue.take(site)) {
      urls.push(queue.urlOf(number) ?? "");
      queue.finish(number);
    }
  }
  return urls;
}

const siteOf = (url: string): number => Number(/site-(\d+)/.exec(url)?.[1]);

/** How many blocks a checkpoint names. */
function blocksIn(folder: string): number {
  const name = readdirSync(folder).find((one) => one.startsWith("checkpoint-")) ?? "";
  const { sites, table } = readCheckpoint(join(folder, name), folder, 1024).lanes;
  return sites.flatMap(({ lanes }) => lanes.flatMap((lane) => [...lane.blocks(table)])).length;
}

type Step =
  | { readonly do: "add"; readonly from: number; readonly count: number }
  | { readonly do: "take"; readonly site: number; readonly count: number }
  | { readonly do: "finish"; readonly which: number; readonly count: number }
  | { readonly do: "flush" | "kill" | "checkpoint" };

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("add"), from: fc.nat(900), count: fc.nat(150) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("take"), site: fc.nat(4), count: fc.nat(90) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("finish"), which: fc.nat(), count: fc.nat(70) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("flush", "kill", "checkpoint") }) },
) as fc.Arbitrary<Step>;

test("each URL is given once, the first priority first and then the oldest, and again only if a kill came before it was finished", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      using temp = makeTempFolder();
      let queue = new UrlQueue(temp.path, tiny);
      let known = new Set<number>();
      /** What waits or was given and is not finished, by its number, in the order in which it came. */
      let unfinished: number[] = [];
      let given = new Map<number, number>();
      let durable = { known: new Set<number>(), unfinished: [] as number[] };
      const keep = (): void => {
        durable = { known: new Set(known), unfinished: [...unfinished] };
      };
      for (const one of steps) {
        if (one.do === "add") {
          const numbers = Array.from({ length: one.count }, (_, at) => one.from + at);
          const fresh = numbers.filter((number) => !known.has(number));
          const names = queue.add(numbers.map(urlOf)).map((site) => queue.siteName(site));
          assert.deepEqual(
            names,
            fresh.map((number) => urlOf(number).site),
          );
          for (const number of fresh) known.add(number);
          unfinished.push(...fresh);
        } else if (one.do === "take") {
          for (let n = 0; n < one.count && one.site < queue.sites; n++) {
            const name = queue.siteName(one.site);
            const waiting = unfinished.filter((number) => !given.has(number) && urlOf(number).site === name);
            const first = Math.min(...waiting.map((number) => urlOf(number).priority));
            const expected = waiting.find((number) => urlOf(number).priority === first);
            assert.equal(queue.count(one.site), waiting.length);
            assert.equal(Number.isFinite(queue.firstKey(one.site)), waiting.length > 0);
            const page = queue.take(one.site);
            assert.equal(
              page === undefined ? undefined : queue.urlOf(page),
              expected === undefined ? undefined : urlOf(expected).url,
            );
            if (page !== undefined && expected !== undefined) given.set(expected, page);
          }
        } else if (one.do === "finish") {
          for (let n = 0; n < one.count && given.size > 0; n++) {
            const [number = 0, page = 0] = [...given][(one.which + n * 7) % given.size] ?? [];
            queue.finish(page);
            given.delete(number);
            unfinished = unfinished.filter((other) => other !== number);
          }
        } else if (one.do === "kill") {
          // What a flush of its own, at a checkpoint, made durable is not known here.
          queue.flush();
          keep();
          queue[Symbol.dispose]();
          queue = new UrlQueue(temp.path, tiny);
          known = new Set(durable.known);
          unfinished = [...durable.unfinished];
          given = new Map();
        } else if (one.do === "flush") queue.flush();
        else queue.checkpoint();
        assert.equal(queue.backlog, unfinished.length - given.size);
        assert.equal(queue.known, known.size);
      }
      queue[Symbol.dispose]();
      queue = new UrlQueue(temp.path, tiny);
      // Whatever became of what came after the last flush: nothing that was finished before it is given, all else is.
      const rest = takeAll(queue);
      assert.equal(new Set(rest).size, rest.length);
      for (const number of durable.unfinished) {
        if (unfinished.includes(number)) assert.ok(rest.includes(urlOf(number).url), "it was lost");
      }
      const past = new Set([...durable.known].filter((number) => !durable.unfinished.includes(number)));
      for (const number of past) assert.ok(!rest.includes(urlOf(number).url), "it was finished");
      queue.close();
    }),
    { numRuns: longer(8, 30) },
  );
});

test("a journal that ends anywhere is a queue as it was at some time: nothing twice, nothing that has no beginning", () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "queue");
  const queue = new UrlQueue(folder, { memoryBytes: 64 * 1024, segmentBytes: 4 * 1024 });
  queue.add(Array.from({ length: 400 }, (_, at) => urlOf(at)));
  queue.flush();
  for (let n = 0; n < 100; n++) queue.finish(queue.take(n % 5) ?? -1);
  queue.flush();
  queue.add(Array.from({ length: 200 }, (_, at) => urlOf(1000 + at)));
  queue.flush();
  queue[Symbol.dispose]();
  const journal = readdirSync(folder).find((name) => name.startsWith("journal-")) ?? "";
  const length = readFileSync(join(folder, journal)).length;
  const counts = new Set<number>();
  const step = longer(397, 97);
  for (const cut of [...Array.from({ length: Math.ceil(length / step) }, (_, at) => at * step), length]) {
    const copy = join(temp.path, "copy");
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder, copy, { recursive: true });
    truncateSync(join(copy, journal), cut);
    const again = new UrlQueue(copy, tiny);
    const urls = takeAll(again);
    assert.equal(new Set(urls).size, urls.length);
    counts.add(urls.length);
    // It goes on from there.
    assert.equal(again.add([{ url: "https://new.example/", site: "new.example", priority: 0 }]).length, 1);
    again.close();
  }
  assert.deepEqual(
    [...counts].sort((a, b) => a - b),
    [0, 300, 400, 500],
  );
});

/** Names of the files that are made durable while something is done. */
function syncedBy(act: () => void): Set<string> {
  const original = fs.fdatasyncSync;
  const names = new Set<string>();
  fs.fdatasyncSync = (fd: number): void => {
    names.add(basename(readlinkSync(`/proc/self/fd/${fd}`)));
    original(fd);
  };
  syncBuiltinESMExports();
  try {
    act();
  } finally {
    fs.fdatasyncSync = original;
    syncBuiltinESMExports();
  }
  return names;
}

test("blocks that a killed process handed to the system are durable before the journal that has them too is gone", () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "queue");
  const killed = new UrlQueue(folder, { memoryBytes: 16 * 1024 });
  const before = syncedBy(() => {
    for (let at = 0; at < 600; at += 10) killed.add(Array.from({ length: 10 }, (_, one) => urlOf(at + one)));
    killed.write();
  });
  const copy = join(temp.path, "copy");
  cpSync(folder, copy, { recursive: true });
  using queue = new UrlQueue(copy, { memoryBytes: 16 * 1024 });
  const synced = syncedBy(() => queue.checkpoint());
  const files = readdirSync(copy).filter((name) => name.startsWith("blocks-") && !before.has(name));
  assert.equal(files.length, 1);
  assert.deepEqual(
    files.filter((name) => !synced.has(name)),
    [],
  );
});

test("a power cut that takes blocks and leaves the journal that names them loses nothing of what the journal has", () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "queue");
  // Short blocks, which are written again with what follows, and some that are finished.
  const queue = new UrlQueue(folder, { memoryBytes: 4 * 1024, segmentBytes: 256 });
  for (let at = 0; at < 120; at += 10) {
    queue.add(Array.from({ length: 10 }, (_, one) => urlOf(at + one)));
    if (at % 30 === 0) queue.finish(queue.take(at % 5) ?? -1);
  }
  for (let n = 0; n < 15; n++) queue.finish(queue.take(0) ?? -1);
  queue.write();
  const checkpoints = (of: string): string[] => readdirSync(of).filter((name) => name.startsWith("checkpoint-"));
  let isMended = false;
  const open = (spoil: (bytes: Buffer, name: string) => Buffer | undefined): string[] => {
    const copy = join(temp.path, "copy");
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder, copy, { recursive: true });
    for (const name of readdirSync(copy)) {
      if (!name.startsWith("blocks-")) continue;
      const bytes = spoil(readFileSync(join(copy, name)), name);
      if (bytes === undefined) rmSync(join(copy, name));
      else writeFileSync(join(copy, name), bytes);
    }
    new UrlQueue(copy, tiny)[Symbol.dispose]();
    // It is whole from then on, and no file stays that nothing needs.
    isMended = checkpoints(copy).join() !== checkpoints(folder).join();
    const again = new UrlQueue(copy, tiny);
    const urls = takeAll(again);
    again.checkpoint();
    const files = readdirSync(copy).filter((name) => name.startsWith("blocks-"));
    assert.ok(files.length <= 1, files.join(" "));
    again.close();
    return urls;
  };
  const all = open((bytes) => bytes);
  assert.equal(isMended, false);
  assert.deepEqual(
    open(() => undefined),
    all,
  );
  assert.equal(isMended, true);
  assert.deepEqual(
    open((bytes) => Buffer.alloc(bytes.length)),
    all,
  );
  for (const kept of [0, 1, 2, 3, 4])
    for (let cut = 0; cut < 512; cut += longer(101, 17))
      assert.deepEqual(
        open((bytes, name) => bytes.subarray(0, Number(name.slice(7)) % 5 === kept ? bytes.length : cut)),
        all,
        `cut at ${cut}`,
      );
  queue.close();
});

test("a journal may name files that are gone, since what they had was written elsewhere", () => {
  using temp = makeTempFolder();
  const small = { memoryBytes: 4 * 1024, segmentBytes: 1 };
  const numbers = Array.from({ length: 60 }, (_, at) => at);
  let queue = new UrlQueue(temp.path, small);
  for (const number of numbers) {
    queue.add([urlOf(number)]);
    if (number === 20) queue.checkpoint();
  }
  queue.flush();
  for (let opened = 0; opened < 3; opened++) {
    queue[Symbol.dispose]();
    queue = new UrlQueue(temp.path, small);
  }
  assert.deepEqual(takeAll(queue).sort(), numbers.map((number) => urlOf(number).url).sort());
  queue.close();
});

test("files go when all that they have is finished, and what keeps a large file is written again", () => {
  using temp = makeTempFolder();
  const roomy = { ...tiny, segmentBytes: 32 * 1024 };
  const queue = new UrlQueue(temp.path, roomy);
  const all = Array.from({ length: 6000 }, (_, at) => urlOf(at));
  queue.add(all);
  queue.checkpoint();
  const blockFiles = (): string[] => readdirSync(temp.path).filter((name) => name.startsWith("blocks-"));
  const before = blockFiles().length;
  assert.ok(before >= 8, `${before} files`);
  // Of one site little is finished: its blocks lie among those of the others.
  for (let site = 1; site < 5; site++) {
    for (let page = queue.take(site); page !== undefined; page = queue.take(site)) queue.finish(page);
  }
  queue.checkpoint();
  assert.ok(blockFiles().length <= before / 2, `${blockFiles().length} of ${before} files`);
  queue.close();
  const again = new UrlQueue(temp.path, roomy);
  assert.deepEqual(
    takeAll(again).sort(),
    all
      .filter((_, at) => at % 5 === 0)
      .map(({ url }) => url)
      .sort(),
  );
  again.checkpoint();
  assert.deepEqual(blockFiles().length <= 1, true);
  again.close();
});

test("blocks that are given and not finished do not keep large files either", () => {
  using temp = makeTempFolder();
  const roomy = { ...tiny, segmentBytes: 32 * 1024 };
  const queue = new UrlQueue(temp.path, roomy);
  queue.add(Array.from({ length: 6000 }, (_, at) => urlOf(at)));
  queue.checkpoint();
  const blockFiles = (): string[] => readdirSync(temp.path).filter((name) => name.startsWith("blocks-"));
  const before = blockFiles().length;
  const given: number[] = [];
  for (let site = 0; site < 5; site++) {
    for (let page = queue.take(site); page !== undefined; page = queue.take(site)) {
      if (site === 0) given.push(page);
      else queue.finish(page);
    }
  }
  queue.checkpoint();
  assert.ok(blockFiles().length <= before / 2, `${blockFiles().length} of ${before} files`);
  for (const page of given.slice(1)) queue.finish(page);
  queue.close();
  const again = new UrlQueue(temp.path, roomy);
  assert.equal(takeAll(again).length, 1);
  again.close();
});

test("the file that is written stays, also when nothing in it counts", () => {
  using temp = makeTempFolder();
  const queue = new UrlQueue(temp.path, tiny);
  queue.add([urlOf(0), urlOf(5)]);
  for (let page = queue.take(0); page !== undefined; page = queue.take(0)) queue.finish(page);
  queue.checkpoint();
  queue.add([urlOf(10), urlOf(15)]);
  queue.take(0);
  queue.flush();
  queue[Symbol.dispose]();
  const again = new UrlQueue(temp.path, tiny);
  assert.deepEqual(takeAll(again).sort(), [urlOf(10).url, urlOf(15).url].sort());
  again.close();
});

test("a journal of more URLs than memory takes now is read all the same, again and again", () => {
  using temp = makeTempFolder();
  const queue = new UrlQueue(temp.path, { memoryBytes: 256 * 1024 });
  const all = Array.from({ length: 600 }, (_, at) => urlOf(at));
  queue.add(all.slice(0, 100));
  queue.checkpoint();
  queue.add(all.slice(100));
  queue.flush();
  queue[Symbol.dispose]();
  for (const isLast of [false, false, true]) {
    const again = new UrlQueue(temp.path, tiny);
    assert.deepEqual([again.backlog, again.known], [600, 600]);
    if (isLast) assert.deepEqual(again.add(all), []);
    again[Symbol.dispose]();
  }
});

test("memory is bounded: what is loaded gives way, and nothing is lost by it", () => {
  using temp = makeTempFolder();
  const queue = new UrlQueue(temp.path, { ...tiny, memoryBytes: 2048 });
  const all = Array.from({ length: 2000 }, (_, at) => urlOf(at));
  queue.add(all);
  const urls: string[] = [];
  while (queue.backlog > 0) {
    for (let site = 0; site < queue.sites; site++) {
      const page = queue.take(site);
      if (page === undefined) continue;
      urls.push(queue.urlOf(page) ?? "");
      queue.finish(page);
    }
  }
  assert.deepEqual(urls.sort(), all.map(({ url }) => url).sort());
  queue.close();
});

test("a lane of very many blocks is whole after a checkpoint", () => {
  using temp = makeTempFolder();
  const options = { memoryBytes: 16 * 1024, journalBytes: 1_000_000 };
  const queue = new UrlQueue(temp.path, { ...options, memoryBytes: 1024 });
  const urls = Array.from({ length: longer(4000, 18_000) }, (_, at) => `https://a.example/${"long/".repeat(30)}${at}`);
  // One at a time, and no room for what no block has: blocks are as short as they may be.
  for (const url of urls) queue.add([{ url, site: "a.example", priority: 0 }]);
  queue.checkpoint();
  assert.ok(blocksIn(temp.path) > longer(220, 1000), "one record would hold them");
  for (let n = 0; n < 5; n++) queue.finish(queue.take(0) ?? -1);
  queue.close();
  const again = new UrlQueue(temp.path, options);
  assert.deepEqual(takeAll(again), urls.slice(5));
  again.close();
});

test("blocks are not short, also of more sites than memory has room for a URL of each", () => {
  using temp = makeTempFolder();
  const options = { memoryBytes: 64 * 1024, segmentBytes: 16 * 1024, journalBytes: 64 * 1024 };
  const queue = new UrlQueue(temp.path, options);
  const all = Array.from({ length: 30_000 }, (_, at) => `https://site-${at % 600}.example/${at}`);
  for (const url of all) queue.add([{ url, site: new URL(url).host, priority: 0 }]);
  queue.checkpoint();
  const blocks = blocksIn(temp.path);
  assert.ok(blocks <= all.length / 12, `${blocks} blocks`);
  const sizes = readdirSync(temp.path).map((name) => statSync(join(temp.path, name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes < 200 * all.length, `${bytes} bytes for ${all.length} URLs`);
  queue.close();
  const again = new UrlQueue(temp.path, options);
  assert.deepEqual(
    takeAll(again),
    all.toSorted((a, b) => siteOf(a) - siteOf(b)),
  );
  again.close();
});

test("URLs whose numbers are too far apart for one block get blocks of their own", () => {
  const tailOf = (...numbers: number[]): Buffer => {
    const tail = new UrlTail();
    for (const number of numbers) tail.add(number, Buffer.from(`https://a.example/${number}`));
    return tail.bytes;
  };
  const block = tailOf(7, 9);
  const last = 7 + 2 ** 32;
  assert.deepEqual(joinUrls(block, tailOf(10, last - 1)), tailOf(7, 9, 10, last - 1));
  assert.equal(joinUrls(block, tailOf(last)), undefined);
  assert.equal(joinUrls(block, tailOf(10, last)), undefined);
  assert.deepEqual(block, tailOf(7, 9));
});

test("an order of the frontier runs on it, begins again after an end, and gives the first priority of all sites first", () => {
  using temp = makeTempFolder();
  const open = (): { queue: UrlQueue; turns: SiteTurns } => {
    const queue = new UrlQueue(temp.path, tiny);
    const pages: SitePages = queue;
    const turns = new SiteTurns(pages, "first-key", { connections: 2, pagesPerTurn: 3, restMs: 10 });
    for (let site = 0; site < queue.sites; site++) turns.touch(site);
    return { queue, turns };
  };
  let { queue, turns } = open();
  for (const site of queue.add(Array.from({ length: 500 }, (_, at) => urlOf(at)))) turns.touch(site);
  const priorities: number[] = [];
  const urls = new Set<string>();
  for (let now = 0; queue.backlog > 0; now += 5) {
    if (now === 300) {
      queue.close();
      ({ queue, turns } = open());
    }
    for (let turn = turns.next(now); turn !== undefined; turn = turns.next(now)) {
      for (const page of turn.pages) {
        const url = queue.urlOf(page) ?? "";
        priorities.push(Number(/\d+$/.exec(url)?.[0]) % 3);
        urls.add(url);
        queue.finish(page);
      }
      turns.done(turn.site, now);
    }
  }
  assert.equal(urls.size, 500);
  assert.equal(priorities.length, 500);
  // A site that rests lets others go first; beyond that the first priority comes first.
  assert.ok(priorities.slice(0, 100).every((priority) => priority === 0));
  queue.close();
});

test("a damaged checkpoint, block or folder says so", () => {
  using temp = makeTempFolder();
  const folder = join(temp.path, "queue");
  const queue = new UrlQueue(folder, tiny);
  queue.add(Array.from({ length: 1000 }, (_, at) => urlOf(at)));
  queue.checkpoint();
  queue.close();
  const spoil = (prefix: string): string => {
    const copy = join(temp.path, prefix);
    cpSync(folder, copy, { recursive: true });
    const names = readdirSync(copy).filter((name) => name.startsWith(prefix));
    for (const name of names) {
      const bytes = readFileSync(join(copy, name));
      for (let at = 40; at < bytes.length; at += 100) bytes[at] = (bytes[at] ?? 0) ^ 0x55;
      writeFileSync(join(copy, name), bytes);
    }
    return copy;
  };
  assert.throws(() => new UrlQueue(spoil("checkpoint-"), tiny), { code: "state-corrupt" });
  const blocks = new UrlQueue(spoil("blocks-"), tiny);
  assert.throws(() => takeAll(blocks), { code: "state-corrupt" });
  blocks[Symbol.dispose]();
  const gone = spoil("seen-");
  for (const name of readdirSync(gone)) if (name.startsWith("checkpoint-")) rmSync(join(gone, name));
  assert.throws(() => new UrlQueue(gone, tiny), { code: "state-corrupt" });
});

test("one process at a time has a queue; what is no URL, priority or taken page is refused before anything is kept", () => {
  using temp = makeTempFolder();
  const queue = new UrlQueue(temp.path, tiny);
  assert.throws(() => new UrlQueue(temp.path, tiny), { code: "locked" });
  const good = urlOf(1);
  for (const bad of [
    { ...good, url: `https://a.example/${"x".repeat(9000)}` },
    { ...good, priority: 256 },
    { ...good, priority: 0.5 },
  ])
    assert.throws(() => queue.add([good, bad]), RangeError);
  assert.equal(queue.backlog, 0);
  assert.deepEqual(queue.add([good]), [0]);
  assert.throws(() => queue.finish(7), RangeError);
  assert.equal(queue.take(0), 0);
  assert.equal(queue.take(0), undefined);
  assert.equal(queue.take(9), undefined);
  assert.equal(queue.urlOf(3), undefined);
  queue.close();
});

test("a URL comes once more where it is added again, with its note, and counts once; one that is not known does not come", () => {
  using temp = makeTempFolder();
  const one = { url: "http://a/1", site: "http://a", priority: 200, note: "3.1" };
  {
    using queue = new UrlQueue(temp.path, { memoryBytes: 4096 });
    queue.add([one, { ...one, url: "http://a/2" }]);
    // Some are on disk, and others in memory.
    queue.checkpoint();
    queue.add([{ ...one, url: "http://a/3" }]);
    const again = ["http://a/3", "http://a/1", "http://a/9"].map((url) => ({ ...one, url, priority: 1, note: "0.0" }));
    assert.deepEqual(queue.addAgain(again), [0, 0]);
    assert.throws(() => queue.addAgain([{ ...one, priority: 256 }]), RangeError);
    assert.deepEqual(queue.addAgain([{ ...one, url: `http://a/${"x".repeat(10_000)}` }]), []);
    queue.flush();
  }
  using queue = new UrlQueue(temp.path, { memoryBytes: 4096 });
  assert.deepEqual(
    [queue.known, queue.added(0), queue.unfinished, queue.siteOf("http://a"), queue.siteOf("b")],
    [3, 3, 5, 0, undefined],
  );
  const given: Array<readonly (string | undefined)[]> = [];
  for (let page = queue.take(0); page !== undefined; page = queue.take(0))
    given.push([queue.urlOf(page), queue.noteOf(page)]);
  assert.deepEqual(given, [
    ["http://a/3", "0.0"],
    ["http://a/1", "0.0"],
    ["http://a/1", "3.1"],
    ["http://a/2", "3.1"],
    ["http://a/3", "3.1"],
  ]);
  assert.equal(queue.unfinished, 5);
  assert.deepEqual(queue.add([one]), []);
});
