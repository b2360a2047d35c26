import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
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

/** A month of three crawlers and people. */
function makeLog(agentOf: (crawler: number) => string): string {
  const lines: string[] = [];
  for (let day = 1; day <= 30; day++) {
    for (let one = 0; one < 400; one++) {
      const isPerson = one % 4 === 0;
      const agent = isPerson
        ? "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        : agentOf(one % 3);
      const address = isPerson ? `198.51.100.${one % 200}` : `192.0.2.${one % 3}`;
      const time = `${String(day).padStart(2, "0")}/Sep/2026:${String(one % 24).padStart(2, "0")}:00:00 +0000`;
      lines.push(`${address} - - [${time}] "GET /page-${one}.html HTTP/1.1" 200 ${1000 + one} "-" "${agent}"\n`);
    }
  }
  return lines.join("");
}

test("the page of a site's traffic is legible at every width, in light and in dark, and accessible", {
  skip,
  timeout: 120_000,
}, async () => {
  using temp = makeTempFolder("report-page");
  const [log, page] = [join(temp.path, "access.log"), join(temp.path, "report.html")];
  const agents = ["Googlebot/2.1", "GPTBot/1.2", `${"VeryLongName".repeat(20)}/1.0 bot`];
  writeFileSync(
    log,
    makeLog((crawler) => `Mozilla/5.0 (compatible; ${agents[crawler]})`),
  );
  const site = `https://${"longname.".repeat(12)}example/`;
  summaryOf(await runTidemark(["report", log, "--html", page, "--base-url", site, "--json"]));
  await lookAtPage(page, "traffic-report");
});

test("nothing that a log says runs in the page, also without its policy", { skip, timeout: 120_000 }, async () => {
  using temp = makeTempFolder("report-page");
  const [log, page] = [join(temp.path, "access.log"), join(temp.path, "report.html")];
  const attacks = [
    "<script>document.title='run'</script>bot",
    "<img src=x onerror=document.title='run'>bot",
    "\\x22><svg/onload=document.title='run'>bot",
    "</style></title><script>document.title='run'</script>\u0000\u001b[31mbot",
  ];
  const lines = attacks.map((attack, at) => {
    const asked = `192.0.2.${at} - - [01/Sep/2026:00:00:00 +0000] "GET /robots.txt HTTP/1.1" 200 9 "-" "${attack}"\n`;
    return asked + asked.replace("/robots.txt", `/${attack}`);
  });
  writeFileSync(log, lines.join("") + "x".repeat(1_000_000));
  summaryOf(await runTidemark(["report", log, "--html", page, "--json"]));
  const text = readFileSync(page, "utf8");
  assert.ok(text.includes("bot"), "the page names no attacker");
  const bare = join(temp.path, "bare.html");
  writeFileSync(bare, text.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""));
  await using browser = await Browser.start();
  for (const file of [page, bare]) {
    await browser.open(pathToFileURL(file).href, "light", 1280, 800);
    assert.equal(await browser.evaluate("return document.title"), "What crawlers cost", file);
    assert.equal(
      await browser.evaluate("return document.querySelectorAll('script,img,iframe,[onload],[onerror]').length"),
      0,
    );
  }
  // The policy holds by itself: a script that got in would not run.
  writeFileSync(bare, text.replace("<h1>", "<script>document.title='run'</script><h1>"));
  await browser.open(pathToFileURL(bare).href, "light", 1280, 800);
  assert.equal(await browser.evaluate("return document.title"), "What crawlers cost");
});
