import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createRandom } from "../../src/core/random.ts";
import { writeText } from "../analysis/graph-files.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Browser, colourSchemes } from "./browser.ts";
import { runTidemark, summaryOf } from "./command.ts";
import { findViolations, lookAt } from "./legibility.ts";
import { skipWithout } from "./programs.ts";

const skip = skipWithout("chromium", "chromedriver");
/** Screenshots stay here, to be looked at. */
const album = join(repositoryFolder(), ".tmp", "figures");

/** Links of 20,000 pages on 300 hosts: out- and in-degrees have long tails, some pages link nowhere. */
function makeLists(folder: string): string[] {
  const random = createRandom(5);
  const nodes = 20_000;
  const links: string[] = [];
  for (let from = 0; from < nodes; from++) {
    if (random() < 0.2) continue;
    const degree = Math.min(300, Math.floor(2 / random() ** 0.8));
    for (let one = 0; one < degree; one++) {
      const isNear = random() < 0.6;
      const to = isNear ? from - (from % 60) + Math.floor(60 * random()) : Math.floor(nodes * random() ** 4);
      if (to < nodes) links.push(`${from}\t${to}\n`);
    }
  }
  const names = Array.from({ length: nodes }, (_, node) => {
    const host = `${"long-name-of-a-host-".repeat(1 + (node % 3))}${Math.floor(node / 60)}.example`;
    return `${node}\thttp://${host}/page-${node}\n`;
  });
  const [edges, vertices] = [
    writeText(folder, "links.gz", links.join("")),
    writeText(folder, "names.gz", names.join("")),
  ];
  return ["--links", edges, "--names", vertices];
}

test("the page of a graph is legible on a telephone and on a desk, in light and in dark", {
  skip,
  timeout: 120_000,
}, async () => {
  using temp = makeTempFolder("graph-page");
  mkdirSync(album, { recursive: true });
  const [folder, page] = [join(temp.path, "web"), join(temp.path, "web.html")];
  summaryOf(await runTidemark(["graph", "import", folder, ...makeLists(temp.path), "--json"]));
  const stats = summaryOf<{ readonly nodes: number }>(
    await runTidemark(["graph", "stats", folder, "--html", page, "--json"]),
  );
  assert.equal(stats.nodes, 20_000);
  await using browser = await Browser.start();
  const grounds = new Set<string>();
  for (const scheme of colourSchemes) {
    for (const width of [390, 1280]) {
      const { texts, troubles, ground } = await lookAt(browser, page, scheme, width);
      assert.deepEqual(troubles, [], `${scheme}, ${width} pixels wide`);
      assert.deepEqual(await findViolations(browser), [], `${scheme}, ${width} pixels wide`);
      assert.ok(texts > 80, `${texts} texts`);
      grounds.add(ground);
      const wide = await browser.evaluate<boolean>("return document.documentElement.scrollWidth > innerWidth");
      assert.equal(wide, false, `the page is wider than ${width} pixels`);
      writeFileSync(join(album, `graph-${scheme}-${width}.png`), await browser.takeScreenshot());
    }
  }
  assert.equal(grounds.size, 2);
});
