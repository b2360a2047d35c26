import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { maxEpochSeconds } from "../../../src/core/time.ts";
import {
  formatSha256Hash,
  packageEntryName,
  parseSha256Hash,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
} from "../../../src/formats/resourcesync/resource-sync.ts";
import { ResourceSyncReader } from "../../../src/formats/resourcesync/resource-sync-reader.ts";
import { ResourceSyncWriter } from "../../../src/formats/resourcesync/resource-sync-writer.ts";
import { maxReadCharacters, maxSitemapEntries } from "../../../src/formats/sitemap/sitemap.ts";
import { fc } from "../../property.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { type GoldenDocument, writeDocument } from "../golden-standards.ts";

const examples = join(repositoryFolder(), "fixtures/resourcesync/spec");
const specificationExamples: Readonly<Record<string, GoldenDocument>> = JSON.parse(
  readFileSync(join(repositoryFolder(), "fixtures/resourcesync/spec.json"), "utf8"),
);
const link = { rel: "up", href: "https://e.org/c" };
const list: ResourceSyncHeader = { kind: "urlset", capability: "resourcelist", at: 1000, links: [link] };
const changes: ResourceSyncHeader = { kind: "urlset", capability: "changelist", from: 1000, links: [link] };
const page: ResourceSyncEntry = { location: "https://e.org/a" };
const change: ResourceSyncEntry = { location: "https://e.org/a", change: "updated", changedAt: 1000 };

interface Reading {
  readonly header: ResourceSyncHeader | undefined;
  readonly entries: readonly ResourceSyncEntry[];
  readonly reader: ResourceSyncReader;
}

function read(content: Uint8Array | string, pieceBytes = 1 << 20): Reading {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const reader = new ResourceSyncReader();
  const entries: ResourceSyncEntry[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) entries.push(...reader.write(bytes.slice(at, at + pieceBytes)));
  entries.push(...reader.end());
  return { header: reader.header, entries, reader };
}

test("there are thirty examples of the specification, and each is expected", () => {
  const names = readdirSync(examples);
  assert.equal(names.length, 30);
  assert.deepEqual(names, Object.keys(specificationExamples));
});

for (const [name, expected] of Object.entries(specificationExamples)) {
  test(`the specification's ${name} is understood`, () => {
    const { header, entries, reader } = read(readFileSync(join(examples, name)), 50);
    assert.deepEqual([reader.problem, reader.warnings], [undefined, []]);
    assert.deepEqual({ header, entries }, expected);
  });
}

// Of the examples some are cut short (no link up) or leave out what ours always have (times of changes, hex).
const rewritten = Object.entries(specificationExamples).filter(([name]) => /1[3-8]|2[0-3]/.test(name));
for (const [name, document] of rewritten) {
  test(`the specification's ${name} is written and read as the same`, () => {
    const { header, entries } = read(writeDocument(document));
    assert.deepEqual({ header, entries }, document);
  });
}

const root = (kind: string, inner: string): string =>
  `<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/" xmlns:x="x">${inner}</${kind}>`;
const entry = (inner: string): string => `<url><loc>https://e.org/a</loc>${inner}</url>`;

test("what cannot be read in an attribute is left out with a warning", () => {
  const rows: readonly (readonly [string, string])[] = [
    ['<rs:md length="-1"/>', "bad-count"],
    ['<rs:md length="1e3"/>', "bad-count"],
    ['<rs:md length="9007199254740992"/>', "bad-count"],
    ['<rs:md datetime="yesterday"/>', "bad-date"],
    ['<rs:md change="renamed"/>', "unknown-word"],
    ['<rs:md capability="renamed"/>', "unknown-word"],
    [`<rs:md type="${"x".repeat(maxReadCharacters + 1)}"/>`, "long-attribute"],
    ['<rs:ln rel="up"/>', "bad-link"],
    ['<rs:ln href="up"/>', "bad-link"],
  ];
  for (const [inner, code] of rows) {
    const { entries, reader } = read(root("urlset", `<rs:md capability="changelist"/>${entry(inner)}`));
    assert.deepEqual(entries, [page], inner);
    assert.deepEqual(
      reader.warnings.map((warning) => warning.code),
      [code],
    );
  }
});

test("attributes with a prefix are none of ResourceSync's, nor are its elements deeper or after the first entry", () => {
  const inner = entry(`<rs:md rs:change="updated" x:length="1"/><x:y><rs:md change="deleted"/></x:y>`);
  const late = `<rs:md capability="resourcelist" at="1970-01-01"/><rs:ln rel="up" href="h"/>`;
  const { header, entries } = read(root("urlset", `<rs:md capability="changelist"/>${inner}${late}${inner}`));
  assert.deepEqual(header, { kind: "urlset", capability: "changelist", links: [] });
  assert.deepEqual(entries, [page, page]);
});

test("of an entry's links the first 64 are kept", () => {
  const links = '<rs:ln rel="r" href="h"/>'.repeat(65);
  const { entries, reader } = read(root("urlset", `<rs:md capability="changelist"/>${entry(links)}`));
  assert.equal(entries[0]?.links?.length, 64);
  assert.equal(reader.warningCount, 1);
});

test("a sitemap that is not ResourceSync's, or of an unknown capability, is refused", () => {
  assert.equal(read(root("urlset", entry(""))).reader.problem?.code, "not-resourcesync");
  assert.equal(read(root("urlset", "")).reader.problem?.code, "not-resourcesync");
  assert.equal(read(root("urlset", "<rs:md/>")).reader.problem?.code, "unknown-capability");
  assert.equal(read(root("urlset", '<rs:md capability="x"/>')).reader.problem?.code, "unknown-capability");
  assert.equal(read("<html/>").reader.problem?.code, "not-a-sitemap");
});

test("a whole SHA-256 is written in hex, and found among other hashes", () => {
  const sha256 = createHash("sha256").update("x").digest();
  const hash = formatSha256Hash(sha256);
  assert.equal(hash, `sha-256:${sha256.toString("hex")}`);
  assert.equal(parseSha256Hash(`md5:00 ${hash.toUpperCase()}`), sha256.toString("hex"));
  for (const none of ["md5:00", `${hash}0`, "sha-256:f4OxZX_x_DFGFDgghgdfb6rtSx-iosjf6735432nklj", ""])
    assert.equal(parseSha256Hash(none), undefined);
  assert.throws(() => formatSha256Hash(sha256.subarray(0, 8)), RangeError);
});

const { at: _, ...withoutAt } = list;
const { from: __, ...withoutFrom } = changes;
const wrongHeaders: readonly (readonly [string, ResourceSyncHeader])[] = [
  ["a resource list without at", withoutAt],
  ["a resource list with from", { ...list, from: 1000 }],
  ["a resource list that is complete before it began", { ...list, completed: 999 }],
  ["a resource list without a link up", { ...list, links: [] }],
  ["a change list without from", withoutFrom],
  ["a change list with at", { ...changes, at: 1000 }],
  ["a change list that ends before it begins", { ...changes, until: 999 }],
  ["a capability list with a time", { kind: "urlset", capability: "capabilitylist", at: 1, links: [link] }],
  ["an index of capability lists", { kind: "sitemapindex", capability: "capabilitylist", links: [link] }],
  ["an index of manifests", { ...list, kind: "sitemapindex", capability: "resourcedump-manifest" }],
  ["a time that is not whole", { ...list, at: 0.5 }],
  ["a link that XML cannot hold", { ...list, links: [{ rel: "up", href: "\u0001" }] }],
  ["too many links", { ...list, links: Array.from({ length: 65 }, () => link) }],
];
for (const [name, header] of wrongHeaders) {
  test(`${name} is not begun`, () => assert.throws(() => new ResourceSyncWriter(header), RangeError));
}

const manifest: ResourceSyncHeader = { ...list, capability: "resourcedump-manifest" };
const wrongEntries: readonly (readonly [string, ResourceSyncHeader, ResourceSyncEntry])[] = [
  ["a change in a resource list", list, change],
  ["a resource in a change list", changes, page],
  ["a change without its time", changes, { ...page, change: "updated" }],
  ["a change before its list begins", changes, { ...change, changedAt: 999 }],
  ["a change after its list ends", { ...changes, until: 1500 }, { ...change, changedAt: 1501 }],
  ["a resource with at", list, { ...page, at: 1 }],
  ["a resource with a path", list, { ...page, path: "/a" }],
  ["a packed resource without a path", manifest, page],
  ["a packed resource whose path does not begin with a slash", manifest, { ...page, path: "a" }],
  ["a capability in a resource list", list, { ...page, capability: "changelist" }],
  ["a document without its capability", { kind: "urlset", capability: "description", links: [] }, page],
  ["a hash that is not in hex", list, { ...page, hash: "sha-256:f4OxZX_x" }],
  ["a size that is no count", list, { ...page, sizeBytes: -1 }],
  ["no location", list, { location: "" }],
  ["a location with space", list, { location: " https://e.org/" }],
  ["a location that XML cannot hold", list, { location: "https://e.org/\ud800" }],
];
for (const [name, header, wrong] of wrongEntries) {
  test(`${name} is not written`, () => {
    const writer = new ResourceSyncWriter(header);
    assert.throws(() => writer.add(wrong), RangeError);
    assert.equal(writer.entries, 0);
  });
}

test("changes out of the order of time are not written; a page twice at one time is", () => {
  const writer = new ResourceSyncWriter(changes);
  writer.add({ ...change, changedAt: 1001 });
  writer.add({ ...change, changedAt: 1001 });
  assert.throws(() => writer.add({ ...change, changedAt: 1000 }), RangeError);
  assert.equal(read(writer.end()).entries.length, 2);
});

test("a document takes 50,000 entries, and what was taken of it counts", () => {
  const writer = new ResourceSyncWriter(list);
  const parts: Uint8Array[] = [];
  while (writer.add({ ...page, mediaType: "text/é" })) if (writer.pendingBytes > 1 << 16) parts.push(writer.take());
  parts.push(writer.end());
  const bytes = Buffer.concat(parts);
  assert.equal(bytes.length, writer.sizeBytes);
  const { entries, reader } = read(bytes);
  assert.deepEqual([entries.length, reader.problem], [maxSitemapEntries, undefined]);
  assert.throws(() => writer.add(page), TypeError);
  assert.throws(() => writer.end(), TypeError);
});

const character = fc
  .oneof(fc.constantFrom(..."&<>\"' ]/é😀"), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }))
  .filter((text) => !/[^\P{Cc}]|[\ufffd-\uffff]|\p{Cs}/u.test(text));
const text = fc.string({ unit: character, maxLength: 12 });
const seconds = fc.integer({ min: 0, max: maxEpochSeconds });
const hash = fc.constantFrom("md5:00ff", `sha-256:${"a1".repeat(32)}`, "md5:00 sha-256:11");

function present<T extends object>(
  model: { [K in keyof T]: fc.Arbitrary<T[K]> },
  always: (keyof T)[],
): fc.Arbitrary<T> {
  return fc.record(model, { requiredKeys: always, noNullPrototype: true }) as fc.Arbitrary<T>;
}

const representation = { hash, sizeBytes: fc.maxSafeNat(), mediaType: text, encoding: text };
const anyLink = present(
  {
    rel: text,
    href: text,
    modified: seconds,
    path: text,
    priority: fc.integer({ min: 1, max: 999_999 }),
    ...representation,
  },
  ["rel", "href"],
);
const links = fc.array(anyLink, { maxLength: 3 }).map((more) => [link, ...more]);
const location = text.map((path) => `https://e.org/${path}x`);
const anyDocument: fc.Arbitrary<GoldenDocument> = fc.oneof(
  fc.record(
    {
      header: present<ResourceSyncHeader>(
        { kind: fc.constant("urlset" as const), capability: fc.constant("resourcelist" as const), at: seconds, links },
        ["kind", "capability", "at", "links"],
      ),
      entries: fc.array(
        present<ResourceSyncEntry>({ location, lastModified: seconds, links, ...representation }, ["location"]),
      ),
    },
    { noNullPrototype: true },
  ),
  fc
    .tuple(fc.array(seconds, { minLength: 2, maxLength: 8 }), fc.boolean(), links)
    .chain(([times, closed, headerLinks]) => {
      times.sort((a, b) => a - b);
      const [from = 0, ...inner] = times;
      const until = closed ? { until: times.at(-1) ?? from } : {};
      const header: ResourceSyncHeader = {
        kind: "urlset",
        capability: "changedump-manifest",
        from,
        ...until,
        links: headerLinks,
      };
      const one = (changedAt: number): fc.Arbitrary<ResourceSyncEntry> =>
        present<ResourceSyncEntry>(
          {
            location,
            change: fc.constantFrom("created" as const, "updated" as const),
            changedAt: fc.constant(changedAt),
            path: text.map((path) => `/${path}`),
            ...representation,
          },
          ["location", "change", "changedAt", "path"],
        );
      return fc.tuple(...inner.map(one)).map((entries) => ({ header, entries }));
    }),
);

test("what is written is read back, whatever its text", () => {
  fc.assert(
    fc.property(anyDocument, fc.integer({ min: 1, max: 500 }), (document, pieceBytes) => {
      const { header, entries, reader } = read(writeDocument(document), pieceBytes);
      assert.deepEqual([reader.problem, reader.warnings], [undefined, []]);
      assert.deepEqual({ header, entries }, document);
    }),
    { numRuns: 300 },
  );
});

test("any bytes, cut anywhere, neither throw nor hang, and give the same", () => {
  const golden = readFileSync(join(examples, "example-22.xml"));
  const damaged = fc
    .tuple(fc.nat(golden.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat(8))
    .map(([at, bytes, cut]) => Buffer.concat([golden.subarray(0, at), bytes, golden.subarray(at + cut)]));
  fc.assert(
    fc.property(
      fc.oneof(damaged, fc.uint8Array({ maxLength: 100 })),
      fc.integer({ min: 1, max: 90 }),
      (bytes, size) => {
        const whole = read(bytes);
        const cut = read(bytes, size);
        assert.deepEqual(cut.entries, whole.entries);
        assert.deepEqual(cut.header, whole.header);
        assert.equal(cut.reader.problem?.code, whole.reader.problem?.code);
      },
    ),
    { numRuns: 1000 },
  );
});

test("packageEntryName gives the name in the package, with and without the slash before it, and nothing that leads out", () => {
  const rows: Readonly<Record<string, string | undefined>> = {
    "/resources/0": "resources/0",
    "resources/0": "resources/0",
    "/a": "a",
    a: "a",
    "": undefined,
    "/": undefined,
    "//a": undefined,
    "/a//b": undefined,
    "/a/": undefined,
    "/./a": undefined,
    "/a/../b": undefined,
    "/..": undefined,
    "/C:/a": undefined,
    "c:a": undefined,
    "/a\\b": undefined,
    "/a\u0000b": undefined,
    "/a\u007fb": undefined,
    "/..a/b..": "..a/b..",
    [`/${"x".repeat(2048)}`]: "x".repeat(2048),
    [`/${"x".repeat(2049)}`]: undefined,
  };
  for (const [path, name] of Object.entries(rows)) assert.equal(packageEntryName(path), name, path.slice(0, 40));
});
