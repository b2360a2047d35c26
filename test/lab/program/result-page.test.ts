import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Parser } from "htmlparser2";
import { formatPage } from "../../../lab/program/result-page.ts";
import { madeResult } from "../../report/made-result.ts";

const svg = '<svg class="tidemark-figure"><title>drawn</title></svg>\n';
const page = formatPage(
  [madeResult],
  new Map([
    ["made-lines", svg],
    ["made-bars", svg],
  ]),
  { version: "9.9.9" },
);

describe("formatPage", () => {
  it("holds figures, captions and the table of published numbers", () => {
    assert.equal(page.split(svg.trim()).length, 3);
    assert.match(
      page,
      /Published numbers: 1 of 3 met, 1 not met and explained, 1 not measured with these parameters\. Goals of ours, [^:]*: 0 of 1 met, 0 not met and explained, 1 missed\./,
    );
    assert.match(
      page,
      /<td>5 %<\/td><td>5 %<\/td><td>within 1 point of 5 %<br><span class="quiet">as printed<\/span><\/td><td class="met">met<\/td>/,
    );
    assert.match(page, /<td>1,234\.5<\/td>.*<td class="missed">no<\/td>/);
    assert.match(page, /<h3>Goals of ours<\/h3>\n.*\n<tbody><tr><th colspan="4" scope="rowgroup">third /);
    assert.match(page, /Because a &lt; b\./);
    assert.match(page, /It shows &lt;everything&gt; &amp; more\./);
    assert.match(page, /seed 3, days 10, root a b/);
  });

  it("lists its experiments with links to them", () => {
    assert.match(
      page,
      /<nav aria-label="Experiments"><ol>\n<li><a href="#made">Made up<\/a> <span class="quiet">1 of 4 met<\/span>/,
    );
    assert.ok(page.includes('<section id="made">'));
  });

  it("needs nothing from elsewhere, and closes what it opens", () => {
    const open: string[] = [];
    const parser = new Parser(
      {
        onopentag: (name, attributes) => {
          assert.ok(!["script", "link", "img", "iframe"].includes(name), name);
          assert.ok(!/^(?:https?:)?\/\//.test(attributes.href ?? ""), attributes.href);
          if (!["meta", "br"].includes(name)) open.push(name);
        },
        onclosetag: (name, isImplied) => {
          if (["meta", "br"].includes(name)) return;
          assert.equal(open.pop(), name);
          assert.ok(!isImplied, `${name} is not closed`);
        },
      },
      { decodeEntities: true },
    );
    parser.end(page);
    assert.deepEqual(open, []);
    assert.ok(!/url\(|@import/.test(page));
  });
});
