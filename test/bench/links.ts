import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "htmlparser2";
import { readLinks } from "../../src/formats/html/page-links.ts";
import { requireCached } from "../interop/programs.ts";
import { type Benchmark, defineBenchmark } from "./benchmark.ts";

const page = "http://docs.example/a/page.html";
const type = "text/html; charset=utf-8";

/** The naive way: each `href` of an `a`, by the package alone. */
function readNaively(body: Uint8Array): Set<string> {
  const hrefs = new Set<string>();
  let element = "";
  const parser = new Parser({
    onopentagname: (name) => {
      element = name;
    },
    onattribute: (name, value) => {
      if (name === "href" && element === "a") hrefs.add(value);
    },
  });
  parser.end(new TextDecoder().decode(body));
  const urls = new Set<string>();
  for (const href of hrefs) {
    if (href === "" || href.startsWith("#") || !URL.canParse(href, page)) continue;
    const url = new URL(href, page);
    url.hash = "";
    if (url.protocol.startsWith("http")) urls.add(url.href);
  }
  return urls;
}

function parseOnly(body: Uint8Array): void {
  new Parser({}).end(new TextDecoder().decode(body));
}

const anchorsOf = (body: Uint8Array): string[] =>
  readLinks(body, type, page).links.flatMap(({ url, kind }) => (kind === "anchor" ? [url] : []));

/** How many pages the two read otherwise; those are named. */
function countDisagreements(pages: ReadonlyMap<string, Uint8Array>): number {
  let count = 0;
  for (const [path, body] of pages) {
    const ours = anchorsOf(body);
    const naive = readNaively(body);
    naive.delete(page);
    if (ours.filter((url) => url !== page).length === naive.size && ours.every((url) => url === page || naive.has(url)))
      continue;
    if (++count <= 5) process.stderr.write(`other links in ${path}\n`);
  }
  return count;
}

/** Prints a table as Markdown. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- links [--pages N] [--rounds N]
How fast links are read from real pages, beside htmlparser2 alone.
`,
  options: { pages: 4000, rounds: 5 },
  run: async ({ pages: count, rounds }) => {
    const root = requireCached("docs-1");
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const step = Math.max(1, Math.floor(files.length / count));
    const chosen = files.filter((_, at) => at % step === 0);
    const pages = new Map(chosen.map((file) => [file.slice(root.length), readFileSync(file)]));
    const megabytes = [...pages.values()].reduce((sum, body) => sum + body.length, 0) / 1e6;
    const disagreements = countDisagreements(pages);
    const candidates: ReadonlyArray<readonly [string, (body: Uint8Array) => unknown]> = [
      ["readLinks: links of all kinds", (body) => readLinks(body, type, page)],
      ["htmlparser2: `href` of `a`, as URLs", readNaively],
      ["htmlparser2: nothing kept", parseOnly],
    ];
    const speeds = candidates.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [at, [, read]] of candidates.entries()) {
        const before = process.cpuUsage();
        for (const body of pages.values()) read(body);
        const { user, system } = process.cpuUsage(before);
        speeds[at]?.push(megabytes / ((user + system) / 1e6));
      }
    }
    const lines = [
      `${pages.size} pages, ${megabytes.toFixed(0)} MB, ${rounds} rounds in turn, Node ${process.version}; ` +
        `${disagreements} pages in which the first two differ.`,
      "",
      "| reader | MB a CPU-second, median (lowest to highest) |",
      "|---|---|",
      ...candidates.map(([name], at) => {
        const sorted = [...(speeds[at] ?? [])].sort((a, b) => a - b);
        const [low = 0, middle = 0, high = 0] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
        return `| ${name} | ${middle.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)}) |`;
      }),
    ];
    lines.push("");
    process.stdout.write(lines.join("\n"));
  },
});
