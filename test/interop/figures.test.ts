import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { writeLabFolder } from "../../lab/program/lab-folder.ts";
import { exitCodes } from "../../src/cli/terminal/exit-code.ts";
import { madeResult } from "../report/made-result.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { Browser, colourSchemes } from "./browser.ts";
import { labProgram, runTidemark } from "./command.ts";
import { findViolations, lookAt } from "./legibility.ts";
import { skipWithout } from "./programs.ts";

const skip = skipWithout("chromium", "chromedriver");
/** Screenshots stay here, to be looked at. */
const album = join(repositoryFolder(), ".tmp", "figures");

describe("figures and page of the lab in Chromium", { skip }, () => {
  const temp = makeTempFolder("figures");
  const lab = join(temp.path, "lab");
  const made = join(temp.path, "made");
  let browser: Browser;
  before(async () => {
    browser = await Browser.start();
    mkdirSync(album, { recursive: true });
    const { exitCode, stderr } = await runTidemark(["all", "--out", lab, "--json", "--quiet"], labProgram);
    // Some published numbers are missed, and that is shown.
    assert.ok(exitCode === exitCodes.done || exitCode === exitCodes.itemsFailed, stderr);
    await writeLabFolder([madeResult], made, { version: "9.9.9" });
  });
  after(async () => {
    await browser?.[Symbol.asyncDispose]();
    temp[Symbol.dispose]();
  });

  it("shows every text of each figure and of the page, legibly, in light and in dark", async () => {
    const files = [lab, made].flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /\.(?:svg|html)$/.test(name))
        .map((name) => ({ folder, name })),
    );
    assert.ok(files.length >= 10);
    for (const { folder, name } of files) {
      const widths = name.endsWith(".html") ? [1280, 390] : [760];
      const grounds = new Set<string>();
      for (const scheme of colourSchemes) {
        for (const width of widths) {
          const { texts, troubles, ground, colours } = await lookAt(browser, join(folder, name), scheme, width);
          assert.deepEqual(troubles, [], `${name}, ${scheme}, ${width} pixels wide`);
          const across = await browser.evaluate<number>("return document.documentElement.scrollWidth ?? 0");
          assert.ok(across <= width, `${name} is ${across} pixels wide in a window of ${width}`);
          if (name.endsWith(".html"))
            assert.deepEqual(await findViolations(browser), [], `${name}, ${scheme}, ${width}`);
          assert.ok(texts >= 8 && colours.length >= 2, name);
          grounds.add(ground);
          const screenshot = await browser.takeScreenshot();
          assert.ok(screenshot.length > 5000, name);
          writeFileSync(
            join(album, `${basename(folder)}-${name.replace(".", "-")}-${scheme}-${width}.png`),
            screenshot,
          );
        }
      }
      assert.equal(grounds.size, 2, `${name} is the same in light and dark`);
    }
  });

  it("notices texts that overlap, are cut, faint or small", async () => {
    const text = (x: number, y: number, words: string, more = ""): string =>
      `<text x="${x}" y="${y}" ${more}>${words}</text>`;
    const bad = [
      `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" font-size="12">`,
      text(10, 20, "one label"),
      text(40, 22, "another"),
      text(150, 60, "beyond the edge"),
      text(10, 80, "faint", 'fill="#999"'),
      text(100, 80, "small", 'font-size="8"'),
      "</svg>",
    ].join("");
    const file = join(temp.path, "bad.svg");
    writeFileSync(file, bad);
    const { troubles } = await lookAt(browser, file, "light", 760);
    assert.deepEqual(
      troubles.map(({ kind, text: words }) => [kind, words]),
      [
        ["cut", "beyond the edge"],
        ["contrast", "faint"],
        ["small", "small"],
        ["overlap", "one label"],
      ],
    );
  });
});
