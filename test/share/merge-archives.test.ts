import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type ArchiveName, formatArchiveName } from "../../src/formats/archive/archive-name.ts";
import { eventArchiveHeader } from "../../src/formats/web-events/event-archive.ts";
import { formatEventIndex } from "../../src/formats/web-events/event-index.ts";
import { countsOf, Merger } from "./merger.ts";

interface Archive {
  readonly from: number;
  readonly to: number;
  readonly content: string;
  readonly changes?: number;
  readonly group?: string;
}

/** Lets the peer of a merger publish archives. @returns their names */
function publish(
  { peer }: Merger,
  archives: readonly Archive[],
  more: { readonly epoch?: string; readonly field?: string; readonly publication?: number } = {},
): string[] {
  const field = more.field ?? "/share/archives/index.gz";
  peer.answers.set(
    "/robots.shr",
    `version: 1.0\ncrawler: peer.example:80 peer/1\nrepository: /share/\nx-tidemark-archives: ${field}\n`,
  );
  const entries = archives.map(({ from, to, content, changes = content.split("\n").length - 3, group = "events" }) => {
    const id = createHash("sha256").update(content).digest("hex").slice(0, 16);
    const name: ArchiveName = { from, to, group, id };
    const body = gzipSync(content);
    peer.answers.set(`/share/archives/${formatArchiveName(name)}`, body);
    return { name, changes, sizeBytes: body.length, tier: 0, isMerged: false };
  });
  const index = formatEventIndex({
    ...{ crawler: "peer.example:80 peer/1", epoch: more.epoch ?? "0123456789abcdef" },
    publication: more.publication ?? Math.max(...archives.map(({ to }) => to)),
    completeFrom: Math.min(...archives.map(({ from }) => from)),
    archives: entries,
  });
  peer.answers.set("/share/archives/index.gz", gzipSync(index));
  return entries.map(({ name }) => `/share/archives/${formatArchiveName(name)}`);
}

const contentOf = (origin: string, ...lines: readonly string[]): string =>
  `${eventArchiveHeader}\nS\t${origin}\n${lines.map((line) => `${line}\n`).join("")}`;

test("archives are read from the cursor on, by the cheapest chain, and the days' files of the peer are not", async () => {
  await using merger = await Merger.open();
  const { crawler, peer, seconds } = merger;
  const { origin } = crawler.site;
  const at = (back: number): number => seconds - back;
  const first = {
    ...{ from: 0, to: at(300) },
    content: `${contentOf(origin, "U\t0\t0\t9\t-\t-\t/a", "C\t0\t0\t1\t-\t-\t/new")}S\thttp://elsewhere.example\nU\t0\t0\t9\t-\t-\t/x\n`,
    changes: 3,
  };
  publish(merger, [first]);
  const merge = await merger.merge();
  assert.deepEqual(countsOf(merge), [1, 1, 0, 0, 1, 0]);
  assert.deepEqual(merge.peers[0]?.problem, undefined);
  assert.deepEqual([merge.peers[0]?.events, merge.peers[0]?.files], [3, 1]);
  assert.ok(!peer.requests.some((path) => path.endsWith(".dat")));

  const fine = [
    { from: at(300), to: at(200), content: contentOf(origin, "U\t0\t0\t9\t-\t-\t/b") },
    { from: at(200), to: at(100), content: contentOf(origin, "D\t0\t0\t0\t-\t-\t/c") },
  ];
  const merged = {
    from: at(300),
    to: at(100),
    content: contentOf(origin, "U\t100\t0\t9\t-\t-\t/b", "D\t0\t0\t0\t-\t-\t/c"),
  };
  const [, , , whole] = publish(merger, [first, ...fine, merged]);
  peer.requests.length = 0;
  assert.deepEqual(countsOf(await merger.merge()), [0, 2, 0, 0, 0, 0]);
  assert.deepEqual(peer.requests, ["/robots.shr", "/share/archives/index.gz", whole]);
  peer.requests.length = 0;
  assert.deepEqual(countsOf(await merger.merge()), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(peer.requests, ["/robots.shr", "/share/archives/index.gz"]);

  // The cursor is void in another epoch: all is read again, which does nothing.
  publish(merger, [first, merged], { epoch: "fedcba9876543210" });
  const again = await merger.merge();
  assert.deepEqual([again.added, again.peers[0]?.files], [0, 2]);
});

test("an index that was not modified costs two requests", async () => {
  await using merger = await Merger.open();
  const { peer, seconds } = merger;
  publish(merger, [
    { from: 0, to: seconds - 100, content: contentOf(merger.crawler.site.origin, "U\t0\t0\t9\t-\t-\t/a") },
  ]);
  const index = peer.answers.get("/share/archives/index.gz");
  peer.answers.set("/share/archives/index.gz", (request, response) => {
    response.setHeader("etag", '"1"');
    if (request.headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.end(index);
  });
  await merger.merge();
  const { peers } = await merger.merge();
  assert.deepEqual([peers[0]?.unmodified, peers[0]?.requests, peers[0]?.files], [1, 2, 0]);
});

test("an interval that is broken is read again by the next merge, and those before it are not", async () => {
  await using merger = await Merger.open();
  const { crawler, peer, seconds } = merger;
  const { origin } = crawler.site;
  const [older, newer] = publish(merger, [
    { from: 0, to: seconds - 200, content: contentOf(origin, "U\t0\t0\t9\t-\t-\t/a") },
    { from: seconds - 200, to: seconds - 100, content: contentOf(origin, "U\t0\t0\t9\t-\t-\t/b") },
  ]) as [string, string];
  const content = peer.answers.get(newer);
  peer.answers.delete(newer);
  const first = await merger.merge();
  assert.match(first.peers[0]?.problem ?? "", /^.*events.*: the server answered 404$/);
  assert.equal(first.sooner, 1);
  peer.answers.set(newer, content ?? "");
  peer.requests.length = 0;
  assert.equal((await merger.merge()).sooner, 1);
  assert.ok(peer.requests.includes(newer) && !peer.requests.includes(older));
});

type Break = (merger: Merger, archive: Archive) => unknown;

for (const [what, breakIt, why] of [
  [
    "not its name's content",
    (m, one) => m.peer.answers.set(publish(m, [one])[0] ?? "", gzipSync("tme1\n")),
    /match its name/,
  ],
  [
    "no gzip, and not the content either",
    (m, one) => m.peer.answers.set(publish(m, [one])[0] ?? "", "x"),
    /match its name/,
  ],
  [
    "far more than the index says",
    (m, one) => publish(m, [{ ...one, content: one.content + "U\t0\t0\t9\t-\t-\t/x\n".repeat(9000), changes: 1 }]),
    /./,
  ],
  ["a bad line", (m, one) => publish(m, [{ ...one, content: `${one.content}nonsense\n` }]), /not the next event/],
  ["another group", (m, one) => publish(m, [{ ...one, group: "text-html" }]), /not of events/],
  ["a time in the future", (m, one) => publish(m, [{ ...one, to: m.seconds + 301 }]), /future/],
  ["a gap", (m, one) => publish(m, [{ ...one, to: one.to - 50 }], { publication: one.to }), /no chain/],
  [
    "no index",
    (m, one) => m.peer.answers.delete(publish(m, [one]).length === 1 ? "/share/archives/index.gz" : ""),
    /404/,
  ],
  [
    "an index that is none",
    (m, one) => m.peer.answers.set(publish(m, [one]).length === 1 ? "/share/archives/index.gz" : "", "x"),
    /./,
  ],
] as ReadonlyArray<readonly [string, Break, RegExp]>)
  test(`of archives with ${what} nothing is taken, the problem is told, and the days' files are read`, async () => {
    await using merger = await Merger.open();
    const to = merger.seconds - 100;
    breakIt(merger, { from: 0, to, content: contentOf(merger.crawler.site.origin, "U\t0\t0\t9\t-\t-\t/a") });
    merger.say(merger.event("/b"));
    const merge = await merger.merge();
    assert.match(merge.peers[0]?.problem ?? "", why);
    assert.deepEqual(countsOf(merge), [0, 1, 0, 0, 0, 0]);
  });

test("archives on another host or port are not asked for", async () => {
  await using merger = await Merger.open();
  const archive = { from: 0, to: merger.seconds - 100, content: contentOf(merger.crawler.site.origin) };
  let asked = 0;
  merger.crawler.site.answers.set("/index.gz", (_, response) => {
    asked += 1;
    response.end();
  });
  publish(merger, [archive], { field: `${merger.crawler.site.origin}/index.gz` });
  merger.say(merger.event("/b"));
  assert.equal((await merger.merge()).sooner, 1);
  assert.equal(asked, 0);
});

test("more events than the bound are not asked for, the rest is passed over, and the next merge has none of them", async () => {
  await using merger = await Merger.open();
  const { crawler, seconds } = merger;
  const { origin } = crawler.site;
  publish(merger, [
    { from: 0, to: seconds - 200, content: contentOf(origin, "U\t0\t0\t9\t-\t-\t/a", "U\t0\t0\t9\t-\t-\t/b") },
    { from: seconds - 200, to: seconds - 100, content: contentOf(origin, "U\t0\t0\t9\t-\t-\t/c") },
  ]);
  const merge = await merger.merge({ days: 2, maxEvents: 1 });
  assert.match(merge.peers[0]?.problem ?? "", /more than 2 events/);
  assert.equal(merge.sooner, 2);
  assert.equal((await merger.merge({ days: 2, maxEvents: 1 })).sooner, 0);
});
