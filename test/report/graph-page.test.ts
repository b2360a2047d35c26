import assert from "node:assert/strict";
import { test } from "node:test";
import { describeGraph } from "../../src/analysis/graph-stats.ts";
import { formatGraphPage } from "../../src/report/graph-page.ts";
import { importText } from "../analysis/graph-files.ts";
import { makeTempFolder } from "../temp-folder.ts";

test("a page has the figures and tables, and names from the Web are texts", async () => {
  using temp = makeTempFolder();
  const lines = Array.from({ length: 400 }, (_, at) => `${at} ${Math.floor(Math.sqrt(at))}\n`).join("");
  const names = Array.from({ length: 400 }, (_, at) => `${at}\t<script>${at}</script>\n`).join("");
  const stats = await describeGraph(await importText(temp.path, lines, names), 5);
  const page = await formatGraphPage(stats, "A & B", "9.9.9");
  assert.equal(page.includes("<script>"), false);
  assert.ok(page.includes('<td class="address">&lt;script&gt;19&lt;/script&gt;</td>'));
  assert.ok(page.includes("<h1>A &amp; B</h1>"));
  assert.equal(page.match(/<svg /g)?.length, 6);
  assert.match(page, /The line is the power law with exponent \d\.\d\d, fitted to the [\d,]+ nodes|No power law fits/);
  assert.equal(page, await formatGraphPage(stats, "A & B", "9.9.9"));
});

test("an empty graph has a page without degrees", async () => {
  using temp = makeTempFolder();
  const page = await formatGraphPage(await describeGraph(await importText(temp.path, ""), 5), "Empty", "9.9.9");
  assert.equal(page.match(/<svg /g)?.length, 2);
});
