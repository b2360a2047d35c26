import assert from "node:assert/strict";
import { test } from "node:test";
import { parseInclude } from "../../../src/formats/html/server-side-includes.ts";

// Apache HTTP Server 2.4, mod_include, "Basic Elements"; nginx, ngx_http_ssi_module, "SSI Commands".
const rows: readonly (readonly [text: string, inclusions: string | undefined, isDynamic: boolean])[] = [
  ['include virtual="/footer.html" ', "virtual /footer.html", false],
  ['include file="inc/head.html"', "file inc/head.html", false],
  [" include  virtual = 'a.html'\n", "virtual a.html", false],
  ['INCLUDE VIRTUAL="a.html"', "virtual a.html", false],
  ["include virtual=`a.html`", "virtual a.html", false],
  ["include virtual=a.html", "virtual a.html", false],
  ['include virtual="a.html" virtual="b.html" file="c.html"', "virtual a.html, virtual b.html, file c.html", false],
  ['include virtual="a.html" onerror="/sorry.html"', "virtual a.html", false],
  ['include virtual="a.html" wait="yes" stub="one"', "virtual a.html", false],
  ['include virtual="say \\"a\\".html"', 'virtual say "a".html', false],
  // A variable's value is not known.
  ['include virtual="/$LANGUAGE/footer.html"', "", true],
  ['include virtual=""', "", true],
  ['include virtual="/open.html', "", true],
  ["include", "", false],
  ['config timefmt="%Y"', "", false],
  ['set var="a" value="b"', "", false],
  ["else", "", false],
  ["endif", "", false],
  ['block name="one"', "", false],
  ["if expr=\"v('HTTPS') == 'on'\"", "", true],
  ['elif expr="true"', "", true],
  ['echo var="DATE_LOCAL"', "", true],
  ['exec cmd="ls"', "", true],
  ['exec cgi="/cgi-bin/counter"', "", true],
  ['flastmod file="a.html"', "", true],
  ['fsize file="a.html"', "", true],
  ["printenv", "", true],
  // A server shows that it knows no such element.
  ["toc", "", true],
  ["", undefined, false],
  ["-----", undefined, false],
  ["1 of 2", undefined, false],
];

for (const [text, inclusions, isDynamic] of rows) {
  test(`<!--#${text}-->`, () => {
    const parsed = parseInclude(text);
    if (inclusions === undefined) return assert.equal(parsed, undefined);
    assert.equal(parsed?.inclusions.map(({ by, name }) => `${by} ${name}`).join(", "), inclusions);
    assert.equal(parsed?.isDynamic, isDynamic);
  });
}

test("the time to read a directive is in proportion to its length", () => {
  for (const text of [
    "a=".repeat(4000),
    'a="'.repeat(2700),
    "a".repeat(8000),
    "\\".repeat(8000),
    'a="\\'.repeat(2000),
  ]) {
    const parsed = parseInclude(`include ${text}`);
    assert.equal(parsed?.inclusions.length, 0);
  }
});
