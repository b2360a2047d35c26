import assert from "node:assert/strict";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Browser, colourSchemes } from "./browser.ts";
import { runTidemark, summaryOf } from "./command.ts";
import { findViolations, lookAt } from "./legibility.ts";
import { skipWithout } from "./programs.ts";

const skip = skipWithout("chromium", "chromedriver");
/** Screenshots stay here, to be looked at. */
const album = join(repositoryFolder(), ".tmp", "figures");

async function lookAtPage(page: string, name: string): Promise<void> {
  mkdirSync(album, { recursive: true });
  assert.ok(statSync(page).size < 500_000, `${statSync(page).size} bytes`);
  await using browser = await Browser.start();
  const grounds = new Set<string>();
  for (const scheme of colourSchemes) {
    for (const width of [390, 1280, 1920]) {
      const { texts, troubles, ground } = await lookAt(browser, page, scheme, width);
      const where = `${name}, ${scheme}, ${width} pixels wide`;
      assert.deepEqual(troubles, [], where);
      assert.ok(texts > 40, `${texts} texts`);
      assert.deepEqual(await findViolations(browser), [], where);
      const isWide = await browser.evaluate<boolean>("return document.documentElement.scrollWidth > innerWidth");
      assert.equal(isWide, false, `wider than the window: ${where}`);
      grounds.add(ground);
      writeFileSync(join(album, `${name}-${scheme}-${width}.png`), await browser.takeScreenshot());
    }
  }
  assert.equal(grounds.size, 2);
}

test("the page of a crawler's visits is legible at every width, in light and in dark, and accessible", {
  skip,
  timeout: 120_000,
}, async () => {
  using temp = makeTempFolder("report-page");
  const [folder, page] = [join(temp.path, "demo"), join(temp.path, "report.html")];
  summaryOf(await runTidemark(["demo", "--keep", folder, "--pages", "300", "--json"]));
  summaryOf(await runTidemark(["report", join(folder, "mirror"), "--html", page, "--json"]));
  await lookAtPage(page, "crawl-report");
});
