import assert from "node:assert/strict";
import { test } from "node:test";
import { TidemarkError } from "../../../src/core/error.ts";
import { compileContentRules, isExpressionType, loadTextComparison } from "../../../src/formats/html/content-rules.ts";
import { cutRanges, joinRanges } from "../../../src/formats/html/ignore-pattern.ts";
import { visibleText } from "../../../src/formats/html/visible-text.ts";
import { fc } from "../../property.ts";

const decode = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

/** What is left of a page, as text; undefined if nothing was cut. */
async function cut(ignore: readonly string[], page: string | Buffer, mediaType = "text/html") {
  const rules = await compileContentRules({ ignore, isSketched: false });
  assert.ok(rules !== undefined);
  const { rest } = rules.examine(Buffer.from(page).toString("latin1"), mediaType, decode, () => undefined);
  return rest === undefined ? undefined : Buffer.from(rest, "latin1").toString("utf8");
}

const cuts: ReadonlyArray<readonly [string, string, string | undefined]> = [
  ["#hits", "<p>a <span id=hits>4<b>2</b></span> c", "<p>a  c"],
  ["#hits", "<p id=other>a", undefined],
  ["meta[name=csrf]", "<meta name=csrf content=1><p>x", "<p>x"],
  ["p.old", "<p class=old>one<p class=new>two", "<p class=new>two"],
  ["li.x", "<ul><li class=x>a</ul>c", "<ul></ul>c"],
  ["li.x", "<ul><li class=x><li>b</ul>c", "<ul><li>b</ul>c"],
  ["div", "<p>a</p><div>not closed <i>b", "<p>a</p>"],
  ["img", "a<img src=1.png>b<img src='2>.png'/>c", "abc"],
  ["script", "<script>var a = '<p>';</script><p>x", "<p>x"],
  [".été", '<p class="été">x</p>é', "é"],
  ["div:has(> .stamp), #a ~ b", "<div><i class=stamp></i></div><p id=a></p><b>x</b>é", "<p id=a></p>é"],
  ["/built at [^<]*/", "<p>built at 12:00</p> and built at 1", "<p></p> and "],
  ["/BUILT/i", "built Built x", "  x"],
  ["/é+/", "aéb ", "ab "],
  ["/x*/", "abc", undefined],
  ["/^b.c/ms", "a\nb\nc", "a\n"],
  ["/a/b/", "1a/b2", "12"],
];
for (const [pattern, page, rest] of cuts) {
  test(`${pattern} leaves ${JSON.stringify(rest)} of ${JSON.stringify(page)}`, async () => {
    assert.equal(await cut([pattern], page), rest);
  });
}

test("what is not cut stays byte for byte, whatever its encoding", async () => {
  const page = Buffer.from("\xff\xfe<p>\x00\xe9</p><i>cut</i>\x80\xc3", "latin1");
  const rules = await compileContentRules({ ignore: ["i", "/</"], isSketched: false });
  const { rest } = rules?.examine(page.toString("latin1"), "text/html", decode, () => undefined) ?? {};
  assert.equal(rest, "\xff\xfep>\x00\xe9/p>\x80\xc3");
});

test("selectors are for HTML alone, expressions for whatever is text", async () => {
  assert.equal(await cut(["b"], "<b>1</b>2", "text/plain"), undefined);
  assert.equal(await cut(["/1/"], "<b>1</b>2", "text/plain"), "<b></b>2");
  assert.equal(await cut(["b"], "<b>1</b>2", "application/xhtml+xml"), "2");
  const texts = ["text/css", "application/json", "application/ld+json", "application/atom+xml", "image/svg+xml"];
  for (const type of texts) assert.ok(isExpressionType(type), type);
  for (const type of ["image/png", "application/pdf", "video/mp4"]) assert.ok(!isExpressionType(type), type);
});

const bad: ReadonlyArray<readonly [string, RegExp]> = [
  ["/a(/", /--ignore \/a\(\/: .*[Uu]nterminated group/],
  ["/abc", /a slash is missing/],
  ["/a/u", /flags may be g, i, m and s/],
  ["", /it is empty/],
  ["p:nonsense", /p:nonsense: not a selector: .*nonsense/],
  ["a[", /a\[: not a selector/],
  ["p::before", /not a selector/],
  ["x".repeat(5000), /longer than 4096/],
];
for (const [pattern, message] of bad) {
  test(`${JSON.stringify(pattern.slice(0, 20))} is refused with the pattern and the reason`, async () => {
    await assert.rejects(compileContentRules({ ignore: [pattern], isSketched: false }), (error: unknown) => {
      assert.ok(error instanceof TidemarkError && error.code === "bad-option" && error.hint !== undefined);
      assert.match(error.message, message);
      return true;
    });
  });
}

test("the fingerprint follows the patterns, not their order, and nothing to do is no rules", async () => {
  const print = async (ignore: string[], isSketched = false) =>
    (await compileContentRules({ ignore, isSketched }))?.fingerprint;
  assert.equal(await print(["a", "/b/"]), await print(["/b/", "a", "a"]));
  assert.notEqual(await print(["a"]), await print(["b"]));
  assert.notEqual(await print(["a"]), await print(["a"], true));
  assert.equal(await print([]), undefined);
});

test("ranges that touch, overlap or nest are cut once", () => {
  const range = fc.tuple(fc.nat(30), fc.nat(10)).map(([start, length]) => ({ start, end: start + length }));
  fc.assert(
    fc.property(fc.array(range), fc.string({ minLength: 40, maxLength: 40 }), (ranges, text) => {
      const kept = [...text.slice(0, 40)].length === 40 ? text : "x".repeat(40);
      const expected = [...kept].filter((_, at) => !ranges.some(({ start, end }) => at >= start && at < end)).join("");
      assert.equal(cutRanges(kept, joinRanges(ranges)), expected);
    }),
  );
});

test("any bytes can be cut, and a cut never adds", async () => {
  const rules = await compileContentRules({ ignore: ["p", "div > *", "/[0-9]+/"], isSketched: true });
  const piece = fc.constantFrom(
    "<p>",
    "</p>",
    "<div",
    ">",
    "</div>",
    "<!--",
    "-->",
    "1",
    '"',
    "a=",
    "<script>",
    "&amp",
    "\0",
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const page = pieces.join("");
      const { rest } = rules?.examine(page, "text/html", decode, () => undefined) ?? {};
      assert.ok(rest === undefined || rest.length < page.length);
    }),
  );
});

test("elements that are nested too deep for a selector are refused before they cost anything", async () => {
  let opened = 0;
  const { unshift } = Array.prototype;
  Array.prototype.unshift = function (...items: unknown[]) {
    opened += 1;
    return unshift.apply(this, items);
  };
  try {
    await assert.rejects(cut(["#a"], "<b>".repeat(200_000)), /nested more than 1000 deep/);
  } finally {
    Array.prototype.unshift = unshift;
  }
  assert.ok(opened < 2000, `${opened} elements were opened`);
  assert.equal(await cut(["#a"], `${"<b>".repeat(900)}<i id=a>`), "<b>".repeat(900));
});

test("the visible text leaves out what nobody sees", () => {
  const html =
    "<title>T</title><style>a{}</style><p>one&amp;two<!-- no --><script>no()</script><b>th</b>ree<template>no</template>";
  assert.equal(visibleText(html, false).replace(/\s+/g, " ").trim(), "T one&two th ree");
  assert.equal(visibleText("</script>text", false), " text");
});

test("the visible text tells SVG's tags from those of HTML", () => {
  const text = (html: string) => visibleText(html, false).replace(/\s+/g, " ").trim();
  assert.equal(text("<svg><style/><title>drawn</title></svg>seen"), "drawn seen");
  assert.equal(text("<svg><style>a{}<b>c</b></style></svg>d"), "d");
  assert.equal(text("<style/>a{}</style>seen<template/>not"), "seen");
  assert.equal(text("<template>a<div>b</template>c</div>"), "c");
});

test("in XHTML an empty-element tag has no content", async () => {
  const page = '<head><script src="a.js"/><style/></head><body><i class="x"/><p>one<br/>two</p><![CDATA[<i>]]></body>';
  const type = "application/xhtml+xml";
  assert.equal(
    await cut([".x, script"], page, type),
    page.replace(/<script.*?>|<i.*?>/g, (tag) => (tag === "<i>" ? tag : "")),
  );
  assert.equal(await cut([".x"], '<p><i class="x"/>one</p>two'), "<p></p>two");
  assert.equal(visibleText(page, true).replace(/\s+/g, " ").trim(), "one two");
  const { compare } = await loadTextComparison();
  assert.ok(compare(Buffer.from(page), Buffer.from(page.replace("one", "three")), type) < 0.5);
});

test("an element costs the visible text the same at every depth", () => {
  const { unshift, shift, splice } = Array.prototype;
  let moved = 0;
  const counted = <Call extends (this: unknown[], ...args: never[]) => unknown>(call: Call): Call =>
    function (this: unknown[], ...args: Parameters<Call>) {
      moved += this.length;
      return call.apply(this, args);
    } as Call;
  const page = "<b>".repeat(200_000);
  Object.assign(Array.prototype, { unshift: counted(unshift), shift: counted(shift), splice: counted(splice) });
  try {
    assert.equal(visibleText(`${page}deep`, false).trim(), "deep");
  } finally {
    Object.assign(Array.prototype, { unshift, shift, splice });
  }
  assert.ok(moved < page.length, `${moved} items of lists were moved`);
});

const cyrillic = (text: string): Buffer =>
  Buffer.from(
    text.replace(/[а-я]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x430 + 0xe0)),
    "latin1",
  );
const ascii = "a".repeat(2000);

for (const [what, before, after] of [
  ["UTF-8", Buffer.from("раз два три"), Buffer.from("совсем другой текст")],
  [
    "windows-1251, as it says",
    cyrillic("<meta charset=windows-1251>раз два три"),
    cyrillic("<meta charset=windows-1251>совсем другой текст"),
  ],
  ["windows-1251, as only a field says", cyrillic("раз два три"), cyrillic("совсем другой текст")],
  [
    "the same behind much ASCII",
    cyrillic(`<b title=${ascii}>раз два три</b>`),
    cyrillic(`<b title=${ascii}>совсем другой текст</b>`),
  ],
  ["UTF-16", Buffer.from("\ufeffраз два три", "utf16le"), Buffer.from("\ufeffсовсем другой текст", "utf16le")],
] as const) {
  test(`texts are compared whatever their encoding: ${what}`, async () => {
    const { compare } = await loadTextComparison();
    assert.equal(compare(before, before, "text/html"), 1);
    const resembling = compare(before, after, "text/html");
    assert.ok(resembling < 0.5, `${resembling}`);
  });
}
