import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseFeedDate } from "../../../src/formats/sitemap/feed-reader.ts";
import { PageListReader } from "../../../src/formats/sitemap/page-list-reader.ts";
import type { SitemapEntry } from "../../../src/formats/sitemap/sitemap-document.ts";

/** Reads a document fed in pieces of some size. */
function read(
  content: string | Uint8Array,
  pieceBytes = 1 << 16,
  limits: { maxBytes?: number; maxEntries?: number } = {},
) {
  const bytes = Buffer.from(content);
  const reader = new PageListReader(limits);
  const entries: SitemapEntry[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    entries.push(...reader.write(new Uint8Array(bytes.subarray(at, at + pieceBytes))));
  entries.push(...reader.end());
  return { entries, kind: reader.kind, code: reader.problem?.code, warnings: reader.warnings.map(({ code }) => code) };
}

const locations = ({ entries }: { entries: readonly SitemapEntry[] }): string[] =>
  entries.map(({ location }) => location);

const rss = `<?xml version="1.0"?>
<!-- a feed <rss> -->
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<link>https://example.org/</link><atom:link href="https://example.org/feed" rel="self"/>
<item><title>1</title><link> https://example.org/1?a=b&amp;c=d </link><guid>x-1</guid><pubDate>Sun, 06 Nov 1994 08:49:37 GMT</pubDate></item>
<item><atom:link href="https://example.org/no"/><guid isPermaLink="true">https://example.org/2</guid><dc:date>1994-11-06T08:49:37Z</dc:date></item>
<item><guid>urn:uuid:3</guid></item>
<item><link><![CDATA[https://example.org/4]]></link><pubDate>yesterday</pubDate></item>
</channel></rss>`;

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://example.org/"/><updated>2020-01-01T00:00:00Z</updated>
<entry><link rel="self" href="https://example.org/e1.xml"/><link href="/e1"/><link href="https://example.org/later"/>
<published>2026-11-20T00:00:00Z</published><updated>2026-11-21T00:00:00Z</updated></entry>
<entry><link rel="Alternate" href="https://example.org/e2"/><content type="xhtml"><div><link href="x"/><updated>n</updated></div></content></entry>
<entry><id>urn:x</id></entry></feed>`;

const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="x"><link>https://example.org/</link></channel>
<item rdf:about="y"><link>https://example.org/r1</link><dc:date>2026-11-20</dc:date></item></rdf:RDF>`;

describe("a list of pages", () => {
  for (const pieceBytes of [1, 7, 1 << 16]) {
    it(`of RSS 2.0 is read, in pieces of ${pieceBytes}`, () => {
      const { entries, kind, warnings } = read(rss, pieceBytes);
      assert.deepEqual(entries, [
        {
          location: "https://example.org/1?a=b&c=d",
          lastModifiedText: "Sun, 06 Nov 1994 08:49:37 GMT",
          lastModified: 784111777,
        },
        { location: "https://example.org/2", lastModifiedText: "1994-11-06T08:49:37Z", lastModified: 784111777 },
        { location: "https://example.org/4", lastModifiedText: "yesterday" },
      ]);
      assert.deepEqual([kind, warnings], ["rss", ["no-location", "bad-date"]]);
    });

    it(`of Atom is read, in pieces of ${pieceBytes}`, () => {
      const { entries, kind } = read(atom, pieceBytes);
      assert.deepEqual(entries, [
        { location: "/e1", lastModifiedText: "2026-11-21T00:00:00Z", lastModified: 1795219200 },
        { location: "https://example.org/e2" },
      ]);
      assert.equal(kind, "atom");
    });

    it(`of text is read, in pieces of ${pieceBytes}`, () => {
      const text = "\ufeffhttps://example.org/ä\r\n\r\n  http://example.org/b  \nnot a URL\rHTTPS://example.org/c";
      const got = read(text, pieceBytes);
      assert.deepEqual(locations(got), ["https://example.org/ä", "http://example.org/b", "HTTPS://example.org/c"]);
      assert.deepEqual([got.kind, got.code, got.warnings], ["text", undefined, ["no-location"]]);
    });
  }

  it("of a feed has each xml:base that holds for a location (RFC 4287 section 2)", () => {
    const entry = (attributes: string, link: string): string => `<entry${attributes}><link ${link}/></entry>`;
    const text = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/a/"><title xml:base="/no/">t</title>${[
      entry(' xml:base="b/"', 'href="1" xml:base="c/"'),
      entry("", 'rel="self" xml:base="/no/" href="/no"'),
      entry("", 'href="2"'),
    ].join("")}</feed>`;
    assert.deepEqual(read(text).entries, [
      { location: "1", bases: ["/a/", "b/", "c/"] },
      { location: "2", bases: ["/a/"] },
    ]);
  });

  it("of RSS 1.0 is read", () => {
    const got = read(rdf);
    assert.deepEqual([locations(got), got.kind], [["https://example.org/r1"], "rdf"]);
  });

  it("of a feed has the link that says something, whatever extensions there are", () => {
    const item = '<item><a:link href="x"/><link/><link>https://example.org/r1</link></item>';
    const got = read(rdf.replace(/<item.*<\/item>/s, item).replace("xmlns:dc", 'xmlns:a="urn:a" xmlns:dc'));
    assert.deepEqual([locations(got), got.warnings], [["https://example.org/r1"], []]);
  });

  it("is told by its content behind instructions for programs", () => {
    const text = `<?xml-stylesheet href="a?b>c"?><urlset><url><loc>https://example.org/1</loc></url></urlset>`;
    assert.deepEqual(locations(read(text)), ["https://example.org/1"]);
  });

  it("of RSS 0.91 is read, whose document type is only a name (Netscape's RSS 0.91)", () => {
    const type =
      '<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://example.org/rss-0.91.dtd">';
    const item = "<item><title>&eacute;</title><link>https://example.org/1</link></item>";
    const got = read(`<?xml version="1.0"?>\n${type}\n<rss version="0.91"><channel>${item}</channel></rss>`, 7);
    assert.deepEqual(
      [locations(got), got.code, got.warnings],
      [["https://example.org/1"], undefined, ["bare-ampersand"]],
    );
  });

  it("is told by its content, in whatever encoding", () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(atom, "utf16le")]);
    assert.deepEqual(locations(read(utf16, 3)), ["/e1", "https://example.org/e2"]);
    const sitemap = `\n<!-- <rss> -->\n<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://example.org/1</s:loc></s:url></s:urlset>`;
    assert.deepEqual([read(sitemap, 5).kind, locations(read(sitemap, 5))], ["urlset", ["https://example.org/1"]]);
  });

  for (const [what, content, code] of [
    ["a page", "<!doctype html><html><body>x</body></html>", "bad-xml"],
    ["a page without its type", "<html><body>x</body></html>", "not-a-sitemap"],
    ["some text", "this is a bogus sitemap", "not-a-sitemap"],
    ["much text", "line\n".repeat(100_000), "not-a-sitemap"],
    ["nothing", "", "bad-xml"],
    ["a declaration only", "<?xml version='1.0'?>", "bad-xml"],
    ["a comment without an end", `<!--${" ".repeat(1 << 20)}`, "too-long"],
    ["zeros", Buffer.alloc(1 << 20), "bad-xml"],
    ["a feed with an entity bomb", `<!DOCTYPE rss [<!ENTITY a "aa">]>${rss.slice(22)}`, "doctype"],
    ["a feed that is cut off", rss.slice(0, -30), "bad-xml"],
    ["a deep feed", `<rss><channel><item>${"<x>".repeat(1000)}`, "too-deep"],
  ] as const) {
    it(`that is ${what} has a problem`, () => assert.equal(read(content).code, code));
  }

  it("is read no further than its bounds", () => {
    const text = Array.from({ length: 30 }, (_, at) => `https://example.org/${at}\n`).join("");
    const feed = `<rss><channel>${"<item><link>https://example.org/x</link></item>".repeat(30)}</channel></rss>`;
    for (const content of [text, feed]) {
      const few = read(content, 64, { maxEntries: 10 });
      assert.deepEqual([few.entries.length, few.code], [10, "too-many"]);
      const short = read(content, 64, { maxBytes: 300 });
      assert.ok(short.entries.length > 0 && short.entries.length < 20 && short.code === "too-large");
      // What was cut in two is no URL.
      assert.ok(locations(short).every((location) => /\/(?:x|\d\d?)$/.test(location)));
    }
    const long = read(`https://example.org/${"x".repeat(1 << 20)}\nhttps://example.org/y\n`);
    assert.deepEqual(locations(long), ["https://example.org/y"]);
    assert.equal(
      read(`<rss><channel><item><link>https://e.org/${"x".repeat(100_000)}</link></item></channel></rss>`).entries
        .length,
      0,
    );
  });

  it("of hostile bytes gives what it gives in bounded time, and never throws", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return (seed >>> 8) % below;
    };
    for (const source of [rss, atom, rdf])
      for (let round = 0; round < 300; round++) {
        const bytes = Buffer.from(source);
        for (let at = 0; at < 5; at++) bytes[random(bytes.length)] = random(256);
        read(bytes, 1 + random(200));
      }
  });
});

describe("a feed's date", () => {
  for (const [text, seconds] of [
    ["Sun, 06 Nov 1994 08:49:37 GMT", 784111777],
    ["6 Nov 94 08:49:37 UT", 784111777],
    ["Sun, 06 Nov 1994 09:49:37 +0100", 784111777],
    ["Sunday, 6 November 1994 03:49:37 EST", 784111777],
    ["Sun,  06  Nov 1994 08:49 Z", 784111740],
    ["1994-11-06T08:49:37Z", 784111777],
    ["06 Nov 1994 08:49:37", undefined],
    ["06 Xyz 1994 08:49:37 GMT", undefined],
    ["31 Feb 1994 08:49:37 GMT", undefined],
    ["06 Nov 1994 25:49:37 GMT", undefined],
    ["06 Nov 1994 08:49:37 XYZ", undefined],
    ["", undefined],
    ["0".repeat(1000), undefined],
  ] as const) {
    it(`${text.slice(0, 40)}: ${seconds}`, () => assert.equal(parseFeedDate(text), seconds));
  }
});

describe("parseFeedDate", () => {
  const rows: ReadonlyArray<readonly [text: string, iso: string | undefined]> = [
    // RFC 822 section 5.1, with the years of RFC 5322 section 4.3.
    ["Sat, 07 Sep 02 00:00:01 GMT", "2002-09-07T00:00:01Z"],
    ["7 Sep 49 00:00 Z", "2049-09-07T00:00:00Z"],
    ["Thu, 7 Sep 99 00:00:00 UT", "1999-09-07T00:00:00Z"],
    ["1 Jan 2026 1:02:03 +0130", "2025-12-31T23:32:03Z"],
    ["Tue, 24 November 2026 08:00:00 EST", "2026-11-24T13:00:00Z"],
    ["  Tue,  24 Nov 2026\t08:00:00 pdt ", "2026-11-24T15:00:00Z"],
    // RFC 5322 section 3.3: no space need follow the comma, and a comment may end it.
    ["Tue,24 Nov 2026 08:00:00 GMT", "2026-11-24T08:00:00Z"],
    ["Tue, 24 Nov 2026 08:00:00 +0100 (CET)", "2026-11-24T07:00:00Z"],
    ["Tue24 Nov 2026 08:00:00 GMT", undefined],
    ["24 Nov 2026 08:00:00 (GMT)", undefined],
    // RFC 3339.
    ["2026-11-24T08:00:00+01:00", "2026-11-24T07:00:00Z"],
    ["24 Nov 2026 08:00:00", undefined],
    ["24 Foo 2026 08:00:00 GMT", undefined],
    ["32 Jan 2026 08:00:00 GMT", undefined],
    ["24 Nov 2026 25:00:00 GMT", undefined],
    [`24 Nov 2026 08:00:00 GMT${" ".repeat(41)}`, undefined],
    ["", undefined],
  ];
  for (const [text, iso] of rows)
    it(`reads ${JSON.stringify(text)} as ${iso}`, () =>
      assert.equal(parseFeedDate(text), iso === undefined ? undefined : Date.parse(iso) / 1000));
});
