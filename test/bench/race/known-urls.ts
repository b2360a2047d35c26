import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { findCli } from "../../interop/command.ts";
import { makeTempFolder } from "../../interop/temp-folder.ts";
import { startWebServer } from "../../interop/web-server.ts";
import { type MeteredCost, meterProcess } from "../peers/metered-process.ts";

const urlsASitemap = 50_000;
const page = "<!doctype html><title>A page</title><p>Every page of this site says this.</p>";

function writeSitemaps(docroot: string, origin: string, urls: number): void {
  const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
  const names: string[] = [];
  for (let from = 0; from < urls; from += urlsASitemap) {
    const count = Math.min(urlsASitemap, urls - from);
    const entries = Array.from({ length: count }, (_, at) => {
      const number = from + at;
      const path = `/catalogue/section-${Math.floor(number / 1000)}/article-${number}.html`;
      return `<url><loc>${origin}${path}</loc><lastmod>2024-0${1 + (number % 9)}-11</lastmod></url>`;
    });
    const name = `sitemap-${from / urlsASitemap}.xml.gz`;
    writeFileSync(join(docroot, name), gzipSync(`<urlset ${namespace}>${entries.join("\n")}</urlset>`));
    names.push(name);
  }
  const parts = names.map((name) => `<sitemap><loc>${origin}/${name}</loc></sitemap>`);
  writeFileSync(join(docroot, "sitemap.xml"), `<sitemapindex ${namespace}>${parts.join("\n")}</sitemapindex>`);
}

function formatRow(urls: number, visit: string, { cpuSeconds, wallSeconds, peakMiB, output }: MeteredCost): string {
  const summary = JSON.parse(output.trimEnd().split("\n").at(-1) ?? "{}") as Record<string, unknown>;
  const cells = [urls, visit, String(summary.pageRequests), cpuSeconds.toFixed(1), wallSeconds.toFixed(1)];
  return `| ${[...cells, peakMiB.toFixed(0)].join(" | ")} |\n`;
}

/** A table of what visits under a budget cost with so many known URLs, which the site's sitemaps name. */
export async function raceWithKnownUrls(numbers: readonly number[], budget: number): Promise<string> {
  let table = "| known URLs | visit | page requests | CPU s | wall s | peak MiB |\n|---:|---|---:|---:|---:|---:|\n";
  for (const urls of numbers) {
    using temp = makeTempFolder("bench-known");
    const docroot = join(temp.path, "docroot");
    mkdirSync(docroot);
    writeFileSync(join(docroot, "page.html"), page);
    const snippet = "location /catalogue/ { try_files /page.html =404; }";
    await using server = await startWebServer("nginx", docroot, { gzip: false, snippet });
    writeSitemaps(docroot, server.url.slice(0, -1), urls);
    const into = join(temp.path, "into");
    for (const visit of ["first", "second"]) {
      const cost = meterProcess([
        ...[process.execPath, findCli(), "crawl", server.url, "--into", into, "--source", "sitemap"],
        ...["--budget", String(budget), "--concurrency", "5", "--json", "--quiet"],
      ]);
      const row = formatRow(urls, visit, cost);
      process.stderr.write(row);
      table += row;
    }
    rmSync(into, { recursive: true, force: true });
  }
  return table;
}
