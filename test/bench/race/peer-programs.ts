import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, findCached } from "../../interop/cache-folder.ts";
import { findProgram } from "../../interop/programs.ts";
import { findRepositoryRoot } from "../../interop/repository.ts";

const crawlee = "@crawlee/cheerio@3.18.1";
const colly = "github.com/gocolly/colly/v2@v2.3.0";

function sourceOf(name: string): string {
  return join(findRepositoryRoot(), "test", "bench", "race", name);
}

/** The command that runs the spider of Scrapy, or undefined where it was not installed. */
export function findScrapy(): string[] | undefined {
  const folder = findCached("scrapy-1");
  return folder === undefined ? undefined : [join(folder, "bin", "scrapy"), "runspider", sourceOf("scrapy-spider.py")];
}

/** The command that runs Crawlee; it is installed at its first use, beside the other peers. */
export function findCrawlee(): string[] {
  const folder = join(cacheFolder(), "crawlee-1");
  if (!existsSync(join(folder, "node_modules", "@crawlee", "cheerio"))) {
    mkdirSync(folder, { recursive: true });
    execFileSync("npm", ["install", "--silent", "--ignore-scripts", "--prefix", folder, crawlee]);
  }
  // It finds its packages from where it lies.
  const program = join(folder, "crawlee-crawler.mjs");
  copyFileSync(sourceOf("crawlee-crawler.mjs"), program);
  return [process.execPath, program];
}

/** The command that runs colly, or undefined where there is no Go; it is built at each use, from Go's cache. */
export function findColly(): string[] | undefined {
  const go = findProgram("go");
  if (go === undefined) return undefined;
  const folder = join(cacheFolder(), "colly-1");
  mkdirSync(folder, { recursive: true });
  const run = (...args: string[]): void => void execFileSync(go, args, { cwd: folder, stdio: "pipe" });
  copyFileSync(sourceOf("colly-crawler.go"), join(folder, "main.go"));
  if (!existsSync(join(folder, "go.mod"))) {
    writeFileSync(join(folder, "go.mod"), "module race\n");
    run("get", colly);
  }
  const program = join(folder, "colly-crawler");
  run("build", "-o", program, ".");
  return [program];
}
