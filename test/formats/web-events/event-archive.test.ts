import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { formatArchiveName } from "../../../src/formats/archive/archive-name.ts";
import { eventArchiveHeader, parseEventArchive } from "../../../src/formats/web-events/event-archive.ts";
import { type EventIndex, formatEventIndex, parseEventIndex } from "../../../src/formats/web-events/event-index.ts";
import { fc } from "../../property.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { type SiteEvents, sitesOf, writeArchive } from "./archived-events.ts";

const to = 1_795_575_327;

const golden: readonly SiteEvents[] = [
  {
    origin: "http://www.example.net:8080",
    events: [{ kind: "deleted", path: "/old?page=2", sizeBytes: 0, modifiedAt: to - 60, polledAt: to - 60 }],
  },
  {
    origin: "https://www.example.org",
    events: [
      { kind: "updated", path: "/", sizeBytes: 9824, modifiedAt: to - 6327, polledAt: to, digest: "a-_Z09" },
      { kind: "created", path: "/a", sizeBytes: 0, modifiedAt: 0, polledAt: to - 1, lifetimeSeconds: 86_400 },
    ],
  },
];

const content = writeArchive(golden, to);
const name = {
  ...{ from: to - 86_400, to, group: "events" },
  id: createHash("sha256").update(content).digest("hex").slice(0, 16),
};
const index: EventIndex = {
  crawler: "crawler.example:443 tidemark/0.1.0",
  epoch: "ae00b24a1df0659f",
  publication: to,
  completeFrom: name.from,
  archives: [{ name, changes: 3, sizeBytes: 100, tier: 1, isMerged: true }],
};
const folder = join(repositoryFolder(), "fixtures/web-events/2");
const files = new Map<string, Buffer>([
  [formatArchiveName(name), content],
  ["index.gz", Buffer.from(formatEventIndex(index))],
]);

// fixtures/README.md names this switch. Bytes that changed need a new version, not new fixtures.
if (process.env.TIDEMARK_WRITE_FIXTURES === "1") {
  mkdirSync(folder, { recursive: true });
  for (const [file, bytes] of files) writeFileSync(join(folder, file), gzipSync(bytes));
}

test("the fixtures are the archive and the index that the code writes, and read back as what they were made of", () => {
  assert.deepEqual(readdirSync(folder).sort(), [...files.keys()].sort());
  for (const [file, bytes] of files)
    assert.equal(gunzipSync(readFileSync(join(folder, file))).toString(), bytes.toString());
  const read = parseEventArchive(content, to, () => true);
  assert.deepEqual(read.ok && sitesOf(read.value), golden);
  assert.deepEqual(parseEventIndex(Buffer.from(formatEventIndex(index))), { ok: true, value: index });
});

test("sites that are not wanted are passed over, their lines unread", () => {
  const wanted = parseEventArchive(content, to, (origin) => origin.startsWith("https:"));
  assert.deepEqual(wanted.ok && sitesOf(wanted.value), golden.slice(1));
  const broken = Buffer.from(`${eventArchiveHeader}\nS\thttp://a\nnonsense\nS\thttps://b\nC\t0\t0\t1\t-\t-\t/x\n`);
  const read = parseEventArchive(broken, to, (origin) => origin === "https://b");
  assert.deepEqual(read.ok && sitesOf(read.value).map(({ origin, events }) => [origin, events.length]), [
    ["https://b", 1],
  ]);
});

const head = `${eventArchiveHeader}\nS\thttps://a.example\n`;
for (const [what, text, code] of [
  ["another header", "tm1\nS\thttps://a.example\n", "bad-header"],
  ["nothing", "", "bad-header"],
  ["a last line without end", `${head}C\t0\t0\t1\t-\t-\t/x`, "truncated"],
  ["an event of no site", `${eventArchiveHeader}\nC\t0\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a site twice", `${head}S\thttps://a.example\n`, "bad-line"],
  ["sites out of order", `${head}S\thttps://A.example\n`, "bad-line"],
  ["another letter", `${head}X\t0\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a letter and more", `${head}CC\t0\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a field less", `${head}C\t0\t0\t1\t-\t/x\n`, "bad-line"],
  ["a field more", `${head}C\t0\t0\t1\t-\t-\t-\t/x\n`, "bad-line"],
  ["an empty number", `${head}C\t\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a number that is none", `${head}C\t1e3\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a time before 1970", `${head}C\t${to + 1}\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a change before 1970", `${head}C\t1\t${to}\t1\t-\t-\t/x\n`, "bad-line"],
  ["a size beyond 2^53", `${head}C\t0\t0\t9007199254740992\t-\t-\t/x\n`, "bad-line"],
  ["a number of 17 digits", `${head}C\t00000000000000001\t0\t1\t-\t-\t/x\n`, "bad-line"],
  ["a time to live beyond all years", `${head}C\t0\t0\t1\t253402300800\t-\t/x\n`, "bad-line"],
  ["a digest that is too short", `${head}C\t0\t0\t1\t-\tabcde\t/x\n`, "bad-line"],
  ["a digest that is none", `${head}C\t0\t0\t1\t-\tabc/de\t/x\n`, "bad-line"],
  ["a path that is none", `${head}C\t0\t0\t1\t-\t-\tx\n`, "bad-line"],
  ["a path with dot segments", `${head}C\t0\t0\t1\t-\t-\t/../x\n`, "bad-line"],
  ["a path of another host", `${head}C\t0\t0\t1\t-\t-\t//b.example/\n`, "bad-line"],
  [
    "dot segments after a path that begins alike",
    `${head}C\t0\t0\t1\t-\t-\t/a/.-\nC\t0\t0\t1\t-\t-\t/a/./x\n`,
    "bad-line",
  ],
  ["a quote in a query that begins alike", `${head}C\t0\t0\t1\t-\t-\t/a?b\nC\t0\t0\t1\t-\t-\t/a?b'\n`, "bad-line"],
  [
    "dot segments after a folder that is shared",
    `${head}C\t0\t0\t1\t-\t-\t/a/-\nC\t0\t0\t1\t-\t-\t/a/./x\n`,
    "bad-line",
  ],
  ["a path twice", `${head}C\t0\t0\t1\t-\t-\t/x\nU\t0\t0\t1\t-\t-\t/x\n`, "bad-line"],
] as const)
  test(`an archive of events with ${what} is refused as a whole`, () => {
    const read = parseEventArchive(Buffer.from(text), to, () => true);
    assert.equal(!read.ok && read.error.code, code);
  });

test("an archive with more events than an archive may hold is refused, and one that is too large", () => {
  const lines = Array.from({ length: 65_537 }, (_, at) => `C\t0\t0\t1\t-\t-\t/${String(at).padStart(5, "0")}\n`).join(
    "",
  );
  const read = parseEventArchive(Buffer.from(head + lines), to, () => true);
  assert.equal(!read.ok && read.error.code, "too-large");
  const large = parseEventArchive(Buffer.alloc(32 * 1024 * 1024 + 1), to, () => true);
  assert.equal(!large.ok && large.error.code, "too-large");
});

test("an archive with more sites than it may hold events is refused, also if nobody asks for them", () => {
  const lines = (count: number): Buffer => {
    const names = Array.from({ length: count }, (_, at) => `S\thttp://${String(at).padStart(6, "0")}.example\n`);
    return Buffer.from(`${eventArchiveHeader}\n${names.join("")}`);
  };
  for (const isWanted of [true, false]) {
    assert.equal(parseEventArchive(lines(65_536), to, () => isWanted).ok, true);
    const read = parseEventArchive(lines(65_537), to, () => isWanted);
    assert.equal(!read.ok && read.error.code, "too-large");
  }
});

test("no bytes make the readers of archives and indexes throw", () => {
  const any = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(fc.nat(content.length), fc.nat(255)).map(([at, byte]) => {
      const broken = Buffer.from(content);
      broken[at] = byte;
      return broken;
    }),
  );
  fc.assert(
    fc.property(any, (bytes) => {
      const read = parseEventArchive(bytes, to, () => true);
      if (read.ok)
        for (const { events } of sitesOf(read.value)) for (const { polledAt } of events) assert.ok(polledAt <= to);
      parseEventIndex(bytes);
    }),
  );
});

const keys = formatEventIndex({ ...index, archives: [] });
const line = formatEventIndex(index).slice(keys.length);
for (const [what, text, code] of [
  ["no crawler", keys.replace("crawler.example:443 ", ""), "bad-field"],
  ["no epoch", keys.replace("ae00b24a1df0659f", "x"), "bad-epoch"],
  ["no publication", keys.replace(/publication\t\S+/, "publication\tnow"), "bad-times"],
  [
    "a publication before its beginning",
    keys.replace(/publication\t\S+/, "publication\t20010101T000000Z"),
    "bad-times",
  ],
  ["an archive of later", keys + line.replaceAll(/_\d{4}/g, "_2099"), "bad-times"],
  ["a list of a base", keys + line.replace(".events.", ".base."), "bad-line"],
  ["more changes than an archive holds", keys + line.replace("\t3\t", "\t65537\t"), "bad-line"],
  ["a header of another format", keys.replace("tidemark-events 1", "tidemark-index 1"), "bad-header"],
  ["no end", keys.trimEnd(), "truncated"],
] as const)
  test(`an index of events with ${what} is refused`, () => {
    const read = parseEventIndex(Buffer.from(text));
    assert.equal(!read.ok && read.error.code, code);
  });

test("an index without tiers is read, as is one with further fields", () => {
  const bare = parseEventIndex(Buffer.from(keys + line.replace(/\t1\tmerged/, "")));
  assert.deepEqual(bare.ok && bare.value.archives.map(({ tier, isMerged }) => [tier, isMerged]), [[0, false]]);
  const more = parseEventIndex(Buffer.from(keys.replace("\n\n", "\nnew\tkey\n\n") + line.replace("\n", "\tmore\n")));
  assert.deepEqual(more, { ok: true, value: index });
});
