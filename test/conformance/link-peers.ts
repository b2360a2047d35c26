import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { findCached, findProgram, requireCached, requireProgram } from "../interop/programs.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

/** Pages of every kind of link, and what stands in them; `fixtures/README.md` says more. */
export const linkFolder: string = join(repositoryFolder(), "fixtures", "conformance", "links");

const scrapyFolder = "scrapy-1";
const timeLimitMs = 120_000;

/** Which of the programs is not there; undefined if all are. */
export function missingPeer(): string | undefined {
  if (findProgram("wget2") === undefined) return "wget2 is not installed: run test/interop/setup.sh";
  if (findCached(scrapyFolder) === undefined) return `no ${scrapyFolder}: run test/interop/setup.sh`;
  return undefined;
}

/** Paths and queries that wget2 asks for when it fetches the pages, what they show and what they link to. */
export async function findByWget2(): Promise<Set<string>> {
  using folder = makeTempFolder();
  const asked = new Set<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://a.example");
    asked.add(url.pathname + url.search);
    const isPage = /^\/[\w-]+\.html$/.test(url.pathname) && url.search === "";
    response.writeHead(isPage ? 200 : 404, { "Content-Type": "text/html" });
    response.end(isPage ? readFileSync(join(linkFolder, url.pathname)) : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const start = `http://127.0.0.1:${(server.address() as AddressInfo).port}/index.html`;
  const args = ["--recursive", "--level=0", "--page-requisites", "--no-robots", "--tries=1", "--quiet", start];
  try {
    const child = spawn(requireProgram("wget2"), args, {
      cwd: folder.path,
      stdio: "ignore",
      timeout: timeLimitMs,
    });
    // It ends with 8, for most of what is linked is not there.
    await once(child, "close");
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return asked;
}

/** What Scrapy's extractor finds. */
export interface ScrapyLinks {
  readonly usual: ReadonlySet<string>;
  readonly widest: ReadonlySet<string>;
}

/** @param known - as it spells a URL's characters otherwise than the URL Standard, they are compared unescaped */
export async function findByScrapy(known: Iterable<string>): Promise<ScrapyLinks> {
  const script = join(repositoryFolder(), "test", "conformance", "scrapy-links.py");
  const python = join(requireCached(scrapyFolder), "bin", "python");
  const { stdout } = await promisify(execFile)(python, [script, linkFolder], { timeout: timeLimitMs });
  const found = JSON.parse(stdout) as { usual: string[]; widest: string[] };
  const spellings = new Map([...known].map((url) => [bytesOf(url), url]));
  const toKnown = (urls: readonly string[]): Set<string> =>
    new Set(urls.map((url) => spellings.get(bytesOf(url)) ?? url));
  return { usual: toKnown(found.usual), widest: toKnown(found.widest) };
}

/** One character a byte. */
function bytesOf(url: string): string {
  return url.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
