import assert from "node:assert/strict";
import { test } from "node:test";
import { readHtmlText, readPlainText } from "../../src/sinks/page-text.ts";
import { cutPieces } from "../../src/sinks/text-pieces.ts";
import { fc } from "../property.ts";

const german = "Ein langer deutscher Satz über die Wettervorhersage, damit die Sprache zu erkennen ist.";
const pages: ReadonlyArray<readonly [string, string, string, string]> = [
  ["<html lang=de-AT><title>Neu</title><p>Ein Text", "Neu", "Ein Text", "de"],
  ["", "", "", ""],
  ["<p>a<p>b<br>c", "", "a\nb\nc", ""],
  ["<table><tr><td>1<td>2</table>", "", "1\n2", ""],
  ["<title>&amp;lt; x</title><body>&eacute;&lt;b&gt; &#128512;", "&lt; x", "é<b> 😀", ""],
  ["<body>a<script>no</script><style>no</style><template>no</template><svg><title>no</title></svg>b", "", "ab", ""],
  ["<body><svg/>seen", "", "seen", ""],
  [`<body>${german}`, "", german, "de"],
  ["<html lang='no such language'><body>x", "", "x", ""],
];

for (const [html, title, text, language] of pages) {
  test(`the text of ${JSON.stringify(html.slice(0, 60))}`, () => {
    assert.deepEqual(readHtmlText(html), { title, text, language });
  });
}

test("the main content is taken without the navigation around it", () => {
  const paragraph =
    "<p>A long paragraph about canonical URLs, with commas, so that it counts as what the page is about.</p>";
  const html = `<html lang=en><title>T</title><body><nav><ul><li><a href=/>Home</a></ul></nav>
    <article><h1>Head</h1>${paragraph.repeat(8)}</article><footer>Imprint</footer></body></html>`;
  const { text } = readHtmlText(html);
  assert.match(text, /canonical URLs/);
  assert.doesNotMatch(text, /Home|Imprint/);
});

test("deep and broad pages cost no more than their length, and keep their text", () => {
  for (const html of [`${"<div>".repeat(200_000)}deep`, `${"<b>x</b>".repeat(200_000)}`, "<p ".repeat(200_000)])
    assert.ok(readHtmlText(html).text.length < html.length);
  assert.equal(readHtmlText(`<body>${"<div>".repeat(200_000)}deep`).text, "deep");
});

test("whatever the bytes are, something is read", () => {
  const tokens = fc.constantFrom(
    "<",
    ">",
    "</",
    "<p",
    " lang=",
    "<html ",
    "<!--",
    "-->",
    "<title>",
    "&#0;",
    "&",
    "\0",
    "<svg",
    "/>",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(tokens, fc.string()), { maxLength: 40 }), (parts) => {
      const { title, text, language } = readHtmlText(parts.join(""));
      assert.ok([title, text, language].every((one) => typeof one === "string"));
    }),
  );
});

test("a plain text has its first line as title, and paragraphs", () => {
  assert.deepEqual(readPlainText("One\ntwo\r\n\r\nthree  four\n\n\n"), {
    title: "One two",
    text: "One two\nthree four",
    language: "",
  });
});

const paragraphs = fc.array(
  fc.string({ minLength: 1, maxLength: 400 }).map((text) => text.replace(/\s+/g, " ").trim() || "x"),
  { minLength: 1, maxLength: 60 },
);

test("pieces are the whole text, in order, and not too long", () => {
  fc.assert(
    fc.property(paragraphs, (lines) => {
      const pieces = cutPieces(lines.join("\n"));
      assert.equal(pieces.join("\n"), lines.join("\n"));
      assert.ok(pieces.every((piece) => piece.length <= 2400));
    }),
  );
  const long = `${"word ".repeat(2000)}end`;
  assert.ok(cutPieces(long).every((piece) => piece.length <= 2400));
  assert.equal(cutPieces(long).join(" "), long);
  const pairs = "😀".repeat(3000);
  assert.equal(cutPieces(pairs).join(""), pairs);
  assert.ok(cutPieces(pairs).every((piece) => !/[\uD800-\uDBFF]$/.test(piece)));
  assert.deepEqual(cutPieces(""), []);
});

test("a paragraph that is added changes the pieces next to it and no others", () => {
  fc.assert(
    fc.property(paragraphs, fc.nat(), (lines, seed) => {
      const text = Array.from({ length: 40 }, (_, at) => `${at} ${lines[at % lines.length]} ${at * 7919}`);
      const at = seed % text.length;
      const before = cutPieces(text.join("\n"));
      const after = cutPieces(text.toSpliced(at, 0, "an added paragraph").join("\n"));
      const fresh = after.filter((piece) => !before.includes(piece));
      // What was one piece may be two, and a full piece hands its rest on until a paragraph ends one.
      assert.ok(fresh.length <= Math.max(4, after.length / 2), `${fresh.length} of ${after.length}`);
    }),
  );
});
