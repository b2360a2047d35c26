import assert from "node:assert/strict";
import { test } from "node:test";
import { Parser } from "htmlparser2";
import { isNoindexField, saysNoindex } from "../../../src/formats/robots/robots-meta.ts";
import { fc } from "../../property.ts";

const yes = [
  '<meta name="robots" content="noindex">',
  "<META CONTENT='NOFOLLOW, NoIndex' NAME=Robots>",
  "<meta name=robots content=none>",
  "<meta name=tidemark content=noindex />",
  '<head><meta charset=utf-8><meta\nname = "robots"\n content = "noindex nofollow" />',
  '<!-- x --><meta name="robots" content="max-snippet:5,noindex">',
  '<!--><meta name="robots" content="noindex">',
  '<script>"</scriptx>"</script><meta name="robots" content="noindex">',
  '<header><meta name="robots" content="noindex">',
  '<meta name="robots" content="index"><meta name="robots" content="noindex">',
  '<!doctype html><?x?><meta name="robots" content="none" content="index">',
  '<head><script>x="</head >"</script><meta name=robots content=noindex>',
  "<head><style>/* <body > */</style><meta name=robots content=noindex>",
  "<head><!-- <body class=old> --><meta name=robots content=noindex>",
  "<head><noscript><body ></noscript><meta name=robots content=noindex>",
  '<head><meta data-x="<b>" name=robots content=noindex>',
  '<head><meta name="robots" data-note="a < b" content="noindex">',
];
const no = [
  "",
  "<p>noindex",
  '<meta name="robots" content="index, follow">',
  '<meta name="googlebot" content="noindex">',
  '<meta name="description" content="noindex">',
  '<meta name="robots" content="max-image-preview: none">',
  '<meta name="robots" content="noindexing">',
  '<!-- <meta name="robots" content="noindex"> -->',
  '<script>document.write(\'<meta name="robots" content="noindex">\')</script>',
  '<title><meta name="robots" content="noindex"></title>',
  "<metadata name=robots content=noindex>",
  "</meta name=robots content=noindex>",
  '<meta name="robots" content="noindex"',
  '<a title="<meta name=robots content=noindex>">',
  '<meta name="robots" content="index" content="noindex">',
  '</head><meta name="robots" content="noindex">',
  '<BODY class=x><meta name="robots" content="noindex">',
  '<body><meta name="robots" content="noindex">',
  '<noscript></noscript><body><meta name="robots" content="noindex">',
  '<style><meta name="robots" content="noindex">',
];

for (const html of yes) test(`withdrawn: ${html}`, () => assert.equal(saysNoindex(html, false), true));
for (const html of no) test(`not withdrawn: ${html}`, () => assert.equal(saysNoindex(html, false), false));

/** What an HTML parser says. */
function askParser(html: string): boolean {
  let found = false;
  const parser = new Parser({
    onopentag: (tag, { name = "", content = "" }) => {
      if (tag === "meta" && name === "robots" && content.split(",").includes("noindex")) found = true;
    },
  });
  parser.end(html);
  return found;
}

const piece = fc.constantFrom(
  '<meta name="robots" content="noindex">',
  "<meta content=noindex name='robots'>",
  '<meta name="robots" content="index">',
  "<!-- ",
  " -->",
  "<script>",
  "</script>",
  "<style>",
  "</style>",
  "<title>",
  "</title>",
  '<a href="',
  '">',
  "<p class='x' ",
  ">",
  "text < more",
  "'",
  "noindex",
);

test("an HTML parser says the same of whatever soup", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const html = pieces.join("");
      // A script that is escaped twice ends later than that parser has it (HTML Living Standard, section 13.2.5.26).
      fc.pre(!/<script>.*<!-- .*<script>/s.test(html));
      assert.equal(saysNoindex(html, false), askParser(html));
    }),
    { numRuns: 3000 },
  );
});

test("a page of UTF-16 is read by its mark", () => {
  const page = Buffer.from('\ufeff<title>é</title><meta name="robots" content="noindex">', "utf16le");
  assert.equal(saysNoindex(page.toString("latin1"), false), true);
  assert.equal(saysNoindex(page.swap16().toString("latin1"), false), true);
  assert.equal(saysNoindex(page.subarray(2).toString("latin1"), false), false);
});

test("in XHTML an empty-element tag has no content", () => {
  const page = '<head><script src="a.js"/><title/><meta name="robots" content="noindex"/></head>';
  assert.equal(saysNoindex(page, true), true);
  assert.equal(saysNoindex(page, false), false);
});

test("hostile pages take no time to speak of", () => {
  for (const unit of ["<meta ", "<meta name=robots ", "<!--", "<script>", "<a \t", "&#", "< ", "<a =", "<a b \t "]) {
    const startedMs = performance.now();
    saysNoindex(`noindex${unit.repeat(65_536 / unit.length)}`, false);
    assert.ok(performance.now() - startedMs < 2000, unit);
  }
});

test("the field X-Robots-Tag, to everybody and to agents", () => {
  for (const value of [
    "noindex",
    "NOINDEX, nofollow",
    "none",
    "googlebot: nofollow, tidemark: noindex",
    "other: none\nnoindex",
  ])
    assert.equal(isNoindexField(value), true, value);
  for (const value of [
    "all",
    "googlebot: noindex",
    "googlebot: noindex, nofollow",
    "max-image-preview: none",
    "unavailable_after: 25 Jun 2030 15:00:00 PST",
  ])
    assert.equal(isNoindexField(value), false, value);
});
