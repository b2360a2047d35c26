import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { memoryPages, validateXML } from "xmllint-wasm";
import {
  formatLocation,
  isListable,
  maxSitemapBytes,
  maxSitemapEntries,
  type SitemapKind,
  SitemapWriter,
  sitemapEntryBytes,
  sitemapFrameBytes,
} from "../../../src/formats/sitemap/sitemap.ts";
import { SitemapReader } from "../../../src/formats/sitemap/sitemap-reader.ts";
import { formatW3cDate } from "../../../src/formats/time/w3c-date.ts";
import { fewer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import * as arbitrary from "../arbitraries.ts";
import { writeSitemap } from "../golden-standards.ts";

const base = "https://www.example.org";
const schemas = join(repositoryFolder(), "fixtures/sitemap/schema");
const at = Date.UTC(2026, 10, 22, 2) / 1000;

async function validate(kind: SitemapKind, content: Uint8Array | string): Promise<string> {
  const schema = readFileSync(join(schemas, kind === "urlset" ? "sitemap.xsd" : "siteindex.xsd"), "utf8");
  const xml = {
    fileName: "document.xml",
    contents: typeof content === "string" ? content : Buffer.from(content).toString(),
  };
  const pages = { initialMemoryPages: 256, maxMemoryPages: memoryPages.GiB };
  const result = await validateXML({ xml: [xml], schema: [schema], ...pages });
  return result.errors[0]?.message ?? (result.valid ? "valid" : result.rawOutput);
}

// Shards of 50,000, and the index over them, as an exporter would write them.
function writeSite(pages: number): readonly (readonly [SitemapKind, Uint8Array])[] {
  const files: (readonly [SitemapKind, Uint8Array])[] = [];
  const index = new SitemapWriter("sitemapindex", base);
  let writer = new SitemapWriter("urlset", base);
  const close = (): void => {
    const bytes = writer.end();
    if (bytes === undefined) return;
    index.add(`/sitemap-${files.length}.xml`, at);
    files.push(["urlset", bytes]);
  };
  for (let page = 0; page < pages; page++) {
    const path = `/${String(page).padStart(7, "0")}/it's&"x".html`.replaceAll('"', "%22");
    if (writer.add(path, at + page)) continue;
    close();
    writer = new SitemapWriter("urlset", base);
    assert.ok(writer.add(path, at + page));
  }
  close();
  const bytes = index.end();
  return bytes === undefined ? files : [...files, ["sitemapindex", bytes]];
}

for (const [pages, shards] of [
  [0, 0],
  [1, 1],
  [50_001, 2],
  ...fewer([[0, 0] as const, [50_000, 1] as const], 2).slice(1),
] as const) {
  test(`${pages} pages are ${shards} sitemaps and an index, all valid by the schema`, async () => {
    const files = writeSite(pages);
    assert.equal(files.length, shards === 0 ? 0 : shards + 1);
    let listed = 0;
    for (const [kind, bytes] of files) {
      assert.equal(await validate(kind, bytes), "valid");
      const reader = new SitemapReader();
      const entries = [...reader.write(bytes), ...reader.end()];
      assert.deepEqual([reader.problem, reader.kind], [undefined, kind]);
      if (kind === "urlset") listed += entries.length;
      else assert.equal(entries.length, shards);
    }
    assert.equal(listed, pages);
  });
}

test("the schema refuses what the writer never writes", async () => {
  const document = (entry: string): string =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entry}</urlset>`;
  assert.match(await validate("urlset", document("")), /Missing child element/);
  assert.match(await validate("urlset", document("<url><loc>http://a.d/</loc></url>")), /minLength/);
  assert.match(await validate("urlset", document(`<url><loc>${base}/[</loc></url>`)), /not a valid value/);
  assert.match(
    await validate("urlset", document(`<url><loc>${base}/a</loc><lastmod>2026-11</lastmod></url>`)),
    /lastmod/,
  );
});

test("a page is listable if its URL has 12 to 2048 characters of RFC 3986", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["http://a.de", "/", true],
    ["http://a.d", "/", false],
    [base, `/${"x".repeat(2048 - base.length - 1)}`, true],
    [base, `/${"x".repeat(2048 - base.length)}`, false],
    [base, `/[${"x".repeat(2048 - base.length - 4)}`, true],
    [base, `/[${"x".repeat(2048 - base.length - 3)}`, false],
    [base, "/a%20b%C3%A9", true],
    [base, "/100%", false],
    [base, "/a%2", false],
    [base, "/a%zz", false],
    [base, "/?ids[]=1|2&x='y'", true],
    [base, "/é", false],
    [base, "/a b", false],
    [base, "/a\nb", false],
    ["", `${base}/whole`, true],
  ];
  for (const [origin, path, expected] of rows) assert.equal(isListable(origin, path), expected, path);
  assert.equal(formatLocation(base, "/?ids[]=1|2"), `${base}/?ids%5B%5D=1%7C2`);
});

test("what is not listable or no time throws, and nothing of it is written", () => {
  const writer = new SitemapWriter("urlset", base);
  assert.throws(() => writer.add("/100%", at), RangeError);
  assert.throws(() => writer.add("/a", 0.5), RangeError);
  assert.throws(() => writer.add("/a", -1), RangeError);
  assert.equal(writer.entries, 0);
  assert.equal(writer.end(), undefined);
  assert.throws(() => writer.end(), TypeError);
  assert.throws(() => writer.add("/a", at), TypeError);
});

test("a document is full at 50 MiB, to the byte, and what was taken counts", () => {
  const writer = new SitemapWriter("urlset", base);
  const path = `/${"&".repeat(2048 - base.length - 1)}`;
  const entryBytes = sitemapEntryBytes(base, path);
  let taken = 0;
  while (writer.add(path, at)) taken += writer.pendingBytes > 1 << 16 ? writer.take().length : 0;
  assert.equal(writer.entries, Math.floor((maxSitemapBytes - sitemapFrameBytes) / entryBytes));
  assert.ok(writer.entries < maxSitemapEntries);
  assert.equal(writer.sizeBytes, sitemapFrameBytes - "</urlset>\n".length + writer.entries * entryBytes);
  taken += writer.end()?.length ?? 0;
  assert.equal(taken, writer.sizeBytes);
  assert.ok(taken <= maxSitemapBytes);
});

test("what is written is read back: any canonical paths that are listable, any times, taken in any pieces", () => {
  const page = fc.tuple(
    arbitrary.path.filter((path) => isListable(base, path)),
    fc.integer({ min: 0, max: 253_402_300_799 }),
  );
  fc.assert(
    fc.property(fc.array(page, { minLength: 1, maxLength: 20 }), (pages) => {
      const bytes = writeSitemap("urlset", base, pages);
      assert.ok(bytes !== undefined);
      const reader = new SitemapReader();
      const entries = [...reader.write(bytes), ...reader.end()];
      assert.deepEqual([reader.problem, reader.warnings], [undefined, []]);
      assert.deepEqual(
        entries,
        pages.map(([path, seconds]) => ({
          location: formatLocation(base, path),
          lastModifiedText: formatW3cDate(seconds),
          lastModified: seconds,
        })),
      );
      const size = pages.reduce((sum, [path]) => sum + sitemapEntryBytes(base, path), sitemapFrameBytes);
      assert.equal(bytes.length, size);
    }),
  );
});

test("any listable path is valid by the schema", async () => {
  const paths = fc.sample(arbitrary.path, { numRuns: 2000, seed: 1 }).filter((path) => isListable(base, path));
  assert.ok(paths.length > 1000);
  const bytes = writeSitemap(
    "urlset",
    base,
    paths.map((path) => [path, at] as const),
  );
  assert.equal(await validate("urlset", bytes ?? ""), "valid");
});
