import assert from "node:assert/strict";
import { test } from "node:test";
import { readLinks } from "../../../src/formats/html/page-links.ts";
import { fc } from "../../property.ts";

const page = "https://a.example/dir/page.html";
const read = (html: string, hasTexts = true, contentType = "text/html; charset=utf-8") =>
  readLinks(Buffer.from(html), contentType, page, { hasTexts }).links;

function texts(html: string, contentType?: string): string[] {
  return read(html, true, contentType).flatMap(({ url, texts = [] }) =>
    texts.map((text) => `${url.replace("https://a.example/dir/", "")}: ${text}`),
  );
}

// What a page says, and the texts of its links; each row names what it proves.
const rows: ReadonlyArray<readonly [string, string, readonly string[]]> = [
  ["in one line, references resolved", '<a href="b">\n  R&amp;D &lt;\n\t2 &nbsp;</a>', ["b: R&D < 2"]],
  ["words are not torn within a line", '<a href="b">H<sub>2</sub>O <b>bo</b>ld</a>', ["b: H2O bold"]],
  ["blocks, line breaks and cells are apart", '<a href="b"><div>x</div><div>y</div>z<br>w</a>', ["b: x y z w"]],
  ["alternative texts of pictures", '<a href="b">see<img src="i" alt="the map">here</a>', ["b: see the map here"]],
  ["an area has its own", '<map><area href="b" alt="north"><area href="c"></map>', ["b: north"]],
  ["an anchor ends where the next begins", '<a href="b">one<a href="c">two</a> three', ["b: one", "c: two"]],
  ["an anchor that is never closed", '<a href="b">to the end', ["b: to the end"]],
  ["what holds no shown text", '<a href="b">x<script>no</script><style>no</style><!-- no -->y</a>', ["b: xy"]],
  ["what began no tag is text", '<a href="b">1 < 2 <3</a>', ["b: 1 < 2 <3"]],
  ["several of one link, each once", '<a href="b">x</a><a href="b#f">y</a><a href="b">x</a>', ["b: x", "b: y"]],
  ["spelled otherwise it is the same link", '<a href="b">x</a><a href="/dir/b">y</a>', ["b: x", "b: y"]],
  ["at most four", [..."12345"].map((text) => `<a href="b">${text}</a>`).join(""), ["b: 1", "b: 2", "b: 3", "b: 4"]],
  ["without a text", '<a href="b"> \n</a><a href="c"></a>', []],
  ["in SVG", '<svg><a xlink:href="b"><text>x</text></a></svg>', ["b: x"]],
  [
    "of a frame's own source, not beyond it",
    '<a href="c">x<iframe srcdoc="<a href=b>y"></iframe>z</a>',
    ["c: x z", "b: y"],
  ],
  ["without control characters", '<a href="b">x\u0000\u0007y&#x1b;z\u2028w</a>', ["b: x y z w"]],
];

for (const [what, html, wanted] of rows)
  test(`texts of links: ${what}`, () => assert.deepEqual(texts(html).sort(), [...wanted].sort()));

test("a link is followed if one of its anchors allows that, however it is spelled", () => {
  const [link] = read('<a href="b">x</a><a href="/dir/b" rel="nofollow">y</a>');
  assert.deepEqual(link, { url: "https://a.example/dir/b", kind: "anchor", isNofollow: false, texts: ["x", "y"] });
});

test("a section of CDATA is text in XHTML", () => {
  assert.deepEqual(texts('<a href="b"><![CDATA[x < y]]></a>', "application/xhtml+xml"), ["b: x < y"]);
});

test("a text is cut at 200 code units, and at no half of a character", () => {
  const cut = (text: string): string => texts(`<a href="b">${text}</a>`)[0]?.slice(3) ?? "";
  assert.equal(cut("x".repeat(201)), "x".repeat(200));
  assert.equal(cut(`${"x".repeat(199)}\u{1f600}`), "x".repeat(199));
  assert.equal(cut(`${"x".repeat(198)}\u{1f600}y`), `${"x".repeat(198)}\u{1f600}`);
  assert.equal(cut("&amp;".repeat(2000)).length, 200);
});

test("of many long texts the first are kept, and links all the same", () => {
  const anchors = Array.from({ length: 30_000 }, (_, at) => `<a href="/${at}">${`${at} `.padEnd(200, "x")}</a>`);
  const links = read(anchors.join(""));
  assert.equal(links.length, anchors.length);
  assert.equal(links.filter(({ texts }) => texts !== undefined).length, Math.floor((4 * 1024 * 1024) / 200));
});

test("texts change no link, and are single lines without control characters, whatever the page", () => {
  const parts = [
    "<a href=b>",
    "</a>",
    "<a name=x>",
    "<p>",
    "<img alt='a\nb'>",
    "<area href=c alt=d>",
    "<svg>",
    "</svg>",
  ];
  const more = [
    "<title>",
    "<style>",
    "<iframe srcdoc='<a href=e>z'>",
    "&#10;",
    "&#xd83d;",
    "\u{1f600}",
    "<",
    "x y",
    "\0",
  ];
  const piece = fc.oneof(fc.constantFrom(...parts, ...more), fc.string({ maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const html = pieces.join("");
      const links = read(html);
      assert.deepEqual(
        links.map(({ texts: _, ...link }) => link),
        read(html, false),
      );
      for (const { texts: some = [] } of links)
        for (const text of some) assert.match(text, /^[^\s\p{Cc}\p{Cs}]([^\p{Cc}\p{Cs}]{0,198}[^\s\p{Cc}\p{Cs}])?$/u);
    }),
  );
});
