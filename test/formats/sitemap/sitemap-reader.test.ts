import assert from "node:assert/strict";
import { test } from "node:test";
import type { SitemapEntry, SitemapLimits } from "../../../src/formats/sitemap/sitemap-document.ts";
import { SitemapReader } from "../../../src/formats/sitemap/sitemap-reader.ts";
import { fc } from "../../property.ts";

const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Reading {
  readonly entries: readonly SitemapEntry[];
  readonly reader: SitemapReader;
}

function read(content: Uint8Array | string, limits?: SitemapLimits, pieceBytes = 1 << 20): Reading {
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  const reader = new SitemapReader(limits);
  const entries: SitemapEntry[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) entries.push(...reader.write(bytes.slice(at, at + pieceBytes)));
  entries.push(...reader.end());
  return { entries, reader };
}

const codes = (reading: Reading): string[] => reading.reader.warnings.map((warning) => warning.code);
const locations = (reading: Reading): string[] => reading.entries.map((entry) => entry.location);
const urlset = (inner: string, attributes = `xmlns="${namespace}"`): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${attributes}>${inner}</urlset>\n`;
const page = (location: string, more = ""): string => `<url><loc>${location}</loc>${more}</url>`;

test("a urlset gives its pages, with the date as written and as seconds", () => {
  const reading = read(
    urlset(
      page("https://example.org/a", "<lastmod>2026-11-20T02:00:00+01:00</lastmod>") +
        page("https://example.org/b", "<lastmod> 2026-11-20 </lastmod><priority>0.5</priority>") +
        page("https://example.org/c", "<lastmod>yesterday</lastmod>") +
        page("https://example.org/d", "<lastmod></lastmod>"),
    ),
  );
  assert.equal(reading.reader.kind, "urlset");
  assert.deepEqual(reading.entries, [
    { location: "https://example.org/a", lastModifiedText: "2026-11-20T02:00:00+01:00", lastModified: 1795136400 },
    { location: "https://example.org/b", lastModifiedText: "2026-11-20", lastModified: 1795132800 },
    { location: "https://example.org/c", lastModifiedText: "yesterday" },
    { location: "https://example.org/d" },
  ]);
  assert.deepEqual(codes(reading), ["bad-date"]);
  assert.equal(reading.reader.problem, undefined);
});

test("a sitemap index gives its sitemaps", () => {
  const text = `<s:sitemapindex xmlns:s="${namespace}"><s:sitemap><s:loc>https://example.org/1.xml</s:loc></s:sitemap></s:sitemapindex>`;
  const reading = read(text);
  assert.equal(reading.reader.kind, "sitemapindex");
  assert.deepEqual(reading.entries, [{ location: "https://example.org/1.xml" }]);
  assert.deepEqual(reading.reader.warnings, []);
});

test("extensions are passed over, wherever they stand", () => {
  const attributes = `xmlns="${namespace}" xmlns:image="urn:image" xmlns:rs="urn:rs" xmlns:x="http://www.w3.org/1999/xhtml"`;
  const reading = read(
    urlset(
      `<rs:ln rel="up" href="u"/><url><image:image><image:loc>no</image:loc></image:image><loc>yes</loc><image:loc>no</image:loc>` +
        `<x:link rel="alternate" hreflang="de" href="no"/></url><image:url><loc>no</loc></image:url>`,
      attributes,
    ),
  );
  assert.deepEqual(reading.entries, [{ location: "yes" }]);
  assert.deepEqual(reading.reader.warnings, []);
});

test("text is put together from pieces, references and CDATA, and white space around it goes", () => {
  const reading = read(urlset(page("\n  https://e/?a=1&amp;b=&#50;<![CDATA[&c=<3>]]><!-- x --><?pi y?>&#x26;d\n")));
  assert.deepEqual(locations(reading), ["https://e/?a=1&b=2&c=<3>&d"]);
});

test("an ampersand that is not escaped is one, however the bytes are cut", () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["https://e/?a=1&b=2&amp;c=3&&;&#38;&#x26;d&nbsp;&am", "https://e/?a=1&b=2&c=3&&;&&d&nbsp;&am", ["bare-ampersand"]],
    ["<![CDATA[a&amp;b&c]]>&d<!-- & --><?p & ?>&e", "a&amp;b&c&d&e", ["bare-ampersand"]],
    ["&amp;<![CDATA[&]]]]>&lt;", "&&]]<", []],
    ["a&#12345678;", "a&#12345678;", ["bare-ampersand"]],
    [
      "&#55357;&#xDE00;&#0;&#x1f;&#xFFFE;&#x110000;",
      "&#55357;&#xDE00;&#0;&#x1f;&#xFFFE;&#x110000;",
      ["bare-ampersand"],
    ],
    ["a&#9;&#x1F600;&#xE000;", "a\t😀\ue000", []],
  ];
  for (const [written, expected, warnings] of rows) {
    for (let pieceBytes = 1; pieceBytes < 40; pieceBytes++) {
      const reading = read(urlset(page(written)), {}, pieceBytes);
      assert.deepEqual(
        [locations(reading), codes(reading)],
        [[expected], warnings],
        `${written}, ${pieceBytes} at a time`,
      );
      assert.equal(reading.reader.problem, undefined);
    }
  }
});

test("the first location counts; an entry without one is left out", () => {
  const reading = read(
    urlset("<url><loc>a</loc><loc>b</loc></url><url/><url><loc> </loc></url><url><loc>c</loc></url>"),
  );
  assert.deepEqual(locations(reading), ["a", "c"]);
  assert.deepEqual(codes(reading), ["no-location", "no-location"]);
});

test("other namespaces and none are read with a warning, a prefix without one too", () => {
  for (const attributes of ["", 'xmlns="http://www.google.com/schemas/sitemap/0.84"']) {
    const reading = read(urlset(page("a"), attributes));
    assert.deepEqual(locations(reading), ["a"]);
    assert.deepEqual(codes(reading), ["wrong-namespace"]);
  }
  const reading = read(urlset(page("a", "<image:image/>") + page("b", "<image:image/>")));
  assert.deepEqual(locations(reading), ["a", "b"]);
  assert.deepEqual(codes(reading), ["unbound-prefix"]);
});

test("entries without the namespace of the root are read, and those that alone have one", () => {
  const inner = `<url xmlns=""><loc>a</loc><lastmod>2026</lastmod></url>${page("b")}`;
  const image = '<x xmlns="urn:image"><loc>no</loc></x>';
  const forgotten = read(urlset(`${inner}<url><loc xmlns="">c</loc>${image}</url>`));
  assert.deepEqual(locations(forgotten), ["a", "b", "c"]);
  assert.deepEqual(locations(read(urlset(inner, `xmlns:s="${namespace}"`))), ["a", "b"]);
  assert.deepEqual(locations(read(`<urlset><url xmlns="${namespace}"><loc>a</loc></url></urlset>`)), ["a"]);
  assert.deepEqual(locations(read(`<s:urlset xmlns:s="${namespace}">${page("a")}</s:urlset>`)), ["a"]);
});

test("encodings: byte order marks, UTF-16 of both orders, declared, unknown, wrong", () => {
  const body = (encoding: string): string =>
    `<?xml version="1.0" encoding="${encoding}"?><urlset xmlns="${namespace}">${page("https://e/é")}</urlset>`;
  const little = Buffer.from(body("UTF-16"), "utf16le");
  const big = Buffer.from(little).swap16();
  const rows: readonly (readonly [string, Uint8Array, string, readonly string[]])[] = [
    ["UTF-8", bytesOf(body("UTF-8")), "https://e/é", []],
    ["UTF-8 with mark", bytesOf(`\ufeff${body("utf-8")}`), "https://e/é", []],
    ["UTF-8 with mark and without declaration", bytesOf(`\ufeff${urlset(page("é")).slice(39)}`), "é", []],
    ["UTF-16LE with mark", Buffer.concat([Buffer.from([0xff, 0xfe]), little]), "https://e/é", []],
    ["UTF-16BE with mark", Buffer.concat([Buffer.from([0xfe, 0xff]), big]), "https://e/é", []],
    ["UTF-16LE without mark", little, "https://e/é", []],
    ["UTF-16BE without mark", big, "https://e/é", []],
    ["ISO-8859-1", Buffer.from(body("ISO-8859-1"), "latin1"), "https://e/é", []],
    ["what says UTF-16 and is not", bytesOf(body("UTF-16")), "https://e/é", []],
    ["an unknown one", bytesOf(body("x-martian")), "https://e/é", ["unknown-encoding"]],
    ["an empty line first", bytesOf(`\r\n ${body("utf-8")}`), "https://e/é", ["leading-space"]],
  ];
  for (const [name, bytes, location, warnings] of rows) {
    for (const pieceBytes of [1, 7, 1 << 20]) {
      const reading = read(bytes, {}, pieceBytes);
      assert.deepEqual(
        [locations(reading), codes(reading)],
        [[location], warnings],
        `${name}, ${pieceBytes} at a time`,
      );
      assert.equal(reading.reader.problem, undefined, name);
    }
  }
  const wrong = read(Buffer.from(body("UTF-8"), "latin1"));
  assert.deepEqual([wrong.entries, codes(wrong)], [[], ["bad-characters"]]);
});

// Each gives what stood before, and says why it ends.
const broken: readonly (readonly [string, string | Uint8Array, string, readonly string[]])[] = [
  ["nothing", "", "bad-xml", []],
  ["cut off in the third entry", urlset(page("a") + page("b") + page("c")).slice(0, -20), "bad-xml", ["a", "b"]],
  ["not closed", urlset(page("a")).replace("</urlset>", ""), "bad-xml", ["a"]],
  ["a page of HTML", "<!DOCTYPE html><html><head></head></html>", "not-a-sitemap", []],
  ["HTML without a document type", "<html><head></head></html>", "not-a-sitemap", []],
  ["an entity bomb", `<!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>${urlset(page("&b;"))}`, "doctype", []],
  ["an external entity", `<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>${urlset(page("&a;"))}`, "doctype", []],
  ["wrong nesting", urlset(`${page("a")}<url><loc>b</url></loc>`), "bad-xml", ["a"]],
  ["a control character", urlset(`${page("a")}${page("b\u0001")}`), "bad-xml", ["a"]],
  ["deep elements", urlset(page("a") + "<x>".repeat(1000)), "too-deep", ["a"]],
  [
    "many attributes",
    urlset(`${page("a")}<x ${Array.from({ length: 300 }, (_, i) => `a${i}=""`).join(" ")}/>`),
    "too-long",
    ["a"],
  ],
  ["an endless text", urlset(`${page("a")}<url><loc>${"x".repeat(1 << 20)}`), "too-long", ["a"]],
  ["an endless comment", urlset(`${page("a")}<!--${"x".repeat(1 << 20)}`), "too-long", ["a"]],
  ["an endless tag", urlset(`${page("a")}<${"x".repeat(1 << 20)}`), "too-long", ["a"]],
  ["an endless attribute", urlset(`${page("a")}<x y="${"x".repeat(1 << 20)}`), "too-long", ["a"]],
  ["endless references", urlset(`${page("a")}<url><loc>${"&amp;".repeat(1 << 18)}`), "too-long", ["a"]],
  ["a gzip file", new Uint8Array([0x1f, 0x8b, 8, 0]), "compressed", []],
];

for (const [name, content, code, kept] of broken) {
  test(`${name}: ${code}`, () => {
    const reading = read(content);
    assert.deepEqual([reading.reader.problem?.code, locations(reading)], [code, kept]);
  });
}

test("bytes and entries are bounded, and what is within the bounds is given", () => {
  const text = urlset(page("a") + page("b") + page("c"));
  const few = read(text, { maxEntries: 2 });
  assert.deepEqual([few.reader.problem?.code, locations(few)], ["too-many", ["a", "b"]]);
  assert.equal(read(text, { maxEntries: 3 }).reader.problem, undefined);
  const short = read(text, { maxBytes: text.length - 30 });
  assert.deepEqual([short.reader.problem?.code, locations(short)], ["too-large", ["a", "b"]]);
  assert.equal(read(text, { maxBytes: text.length }).reader.problem, undefined);
  assert.deepEqual(read(text, { maxBytes: text.length - 1 }).reader.problem?.code, "too-large");
});

test("a location of 8192 characters is read, a longer one is left out", () => {
  const reading = read(urlset(page("x".repeat(8192)) + page("x".repeat(8193)) + page("y")));
  assert.deepEqual(
    locations(reading).map((location) => location.length),
    [8192, 1],
  );
  assert.deepEqual(codes(reading), ["long-location"]);
});

test("of many warnings the first twenty are kept and all are counted", () => {
  const { reader } = read(urlset("<url/>".repeat(100)));
  assert.deepEqual([reader.warnings.length, reader.warningCount], [20, 100]);
});

test("entries come as soon as they are complete", () => {
  const reader = new SitemapReader();
  assert.deepEqual(reader.write(bytesOf(`<urlset xmlns="${namespace}"><url><loc>a</loc>`)), []);
  assert.deepEqual(reader.write(bytesOf("</url><url>")), [{ location: "a" }]);
  assert.deepEqual(reader.write(bytesOf("<loc>b</loc></url>")), [{ location: "b" }]);
  assert.deepEqual(reader.write(bytesOf("</urlset>")), []);
  assert.deepEqual(reader.end(), []);
  assert.deepEqual(reader.end(), []);
  assert.throws(() => reader.write(bytesOf(" ")), TypeError);
});

const scraps = fc.constantFrom(
  ...[
    "<urlset>",
    "</urlset>",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "<lastmod>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
  ],
  ...[
    "&",
    "&amp;",
    "&#0;",
    ";",
    "<!DOCTYPE",
    "[",
    "]",
    ">",
    "<",
    "\ud800",
    "\udc00",
    "\r",
    "\0",
    "x",
    " ",
    "=",
    '"',
    "xmlns:a=",
  ],
);

test("any bytes, cut anywhere, neither throw nor hang, and give the same entries", () => {
  const soup = fc.array(scraps, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(""), "utf8"));
  const wide = fc.array(scraps, { maxLength: 60 }).map((parts) => Buffer.from(`\ufeff${parts.join("")}`, "utf16le"));
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), soup, wide);
  fc.assert(
    fc.property(bytes, fc.integer({ min: 1, max: 40 }), (content, pieceBytes) => {
      const whole = read(content);
      const cut = read(content, {}, pieceBytes);
      assert.deepEqual(cut.entries, whole.entries);
      assert.equal(cut.reader.problem?.code, whole.reader.problem?.code);
    }),
    { numRuns: 2000 },
  );
});
