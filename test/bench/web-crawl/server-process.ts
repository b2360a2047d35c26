import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { listenNames } from "../../dns-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type ExportedSite, exportMadeSite } from "./exported-site.ts";
import { MadeSites } from "./made-sites.ts";
import { type BrokenRules, PolitenessCheck } from "./politeness-check.ts";

/** What the server is started with. */
export interface ServerOptions {
  readonly sites: number;
  readonly pages: number;
  readonly seed: number;
  readonly isFriendly: boolean;
  readonly restMs: number;
  readonly pagesBeforeRest: number;
}

/** What the server saw. */
export interface ServerReport {
  /** Pages that were requested, requests for pages that were repeated, and pages that were never requested and should have been. */
  readonly requested: number;
  readonly repeated: number;
  readonly missed: number;
  readonly robots: number;
  readonly trapPages: number;
  /** Sites that were exported, and requests for what the exporter published but robots.txt. */
  readonly exported: number;
  readonly published: number;
  readonly broken: BrokenRules;
  readonly cpuSeconds: number;
  /** Numbers of the pages in the order of their first requests. */
  readonly order: readonly number[];
}

const { sites, pages, seed, isFriendly, restMs, pagesBeforeRest } = JSON.parse(
  process.argv[2] ?? "{}",
) as ServerOptions;
const made = new MadeSites(sites, pages, seed, isFriendly);
const slowMs = 200;
const counts = new Uint8Array(made.pages);
const order = new Uint32Array(made.pages);
const check = new PolitenessCheck(made, restMs, pagesBeforeRest);
const temp = makeTempFolder("bench-server");
const exported = new Map<number, Promise<ExportedSite>>();
let ordered = 0;
let robots = 0;
let trapPages = 0;
let published = 0;

/** What a site publishes beside its pages. */
async function publishedOf(site: number, path: string): Promise<string | Buffer | undefined> {
  const kind = made.kindOf(site);
  if (kind !== "archives" && kind !== "sitemap") return path === "/robots.txt" ? made.robotsOf(site) : undefined;
  if (path !== "/robots.txt" && !exported.has(site)) return undefined;
  const one = exported.get(site) ?? exportMadeSite(made, site, port, temp.path);
  exported.set(site, one);
  return (await one).read(path);
}

/** A page of the site, or of the trap that it is; undefined if there is none. */
function pageOf(site: number, path: string): string | undefined {
  const [, trapped] = /^\/trap\/(\d+)\/$/.exec(path) ?? [];
  if (trapped !== undefined && made.kindOf(site) === "trap") {
    trapPages++;
    return `<a href="/trap/${Number(trapped) + 1}/">next</a>`;
  }
  const page = made.pageOf(path);
  if (page === undefined || page >= made.sizeOf(site)) return undefined;
  const number = (made.firsts[site] as number) + page;
  if (counts[number] === 0) order[ordered++] = number;
  counts[number] = Math.min(255, (counts[number] as number) + 1);
  return made.htmlOf(site, page, port);
}

const server = createServer((request, response) => {
  const site = made.siteOf((request.headers.host ?? "").split(":", 1)[0] ?? "");
  if (site === undefined) return void response.writeHead(421).end();
  const kind = made.kindOf(site);
  if (kind === "dead") return;
  const path = request.url ?? "";
  const { answered, closed } = check.begin(site, path);
  response.once("close", closed);
  const send = async (): Promise<void> => {
    if (path === "/robots.txt") robots++;
    const file = await publishedOf(site, path);
    if (file !== undefined && path !== "/robots.txt") published++;
    const body = file ?? pageOf(site, path);
    answered();
    if (body === undefined || (kind === "broken-robots" && path === "/robots.txt"))
      return void response.writeHead(body === undefined ? 404 : 500).end();
    response.setHeader("content-type", file === undefined ? "text/html" : "text/plain");
    response.end(body);
  };
  if (kind === "slow") setTimeout(() => void send(), slowMs);
  else void send();
});
server.listen(0, "0.0.0.0");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;
const names = await listenNames((name) => {
  const site = made.siteOf(name);
  return site === undefined ? "no-name" : [made.addressOf(site)];
});
process.stdout.write(`${JSON.stringify({ port, nameServer: names.address })}\n`);

function report(): ServerReport {
  let requested = 0;
  let repeated = 0;
  let missed = 0;
  for (let site = 0; site < made.sites; site++) {
    const isInScope = made.isInScope(site);
    for (let number = made.firsts[site] as number; number < (made.firsts[site + 1] as number); number++) {
      const count = counts[number] as number;
      if (count > 0) requested++;
      else if (isInScope) missed++;
      repeated += Math.max(0, count - 1);
    }
  }
  const { user, system } = process.cpuUsage();
  return {
    requested,
    repeated,
    missed,
    robots,
    trapPages,
    exported: exported.size,
    published,
    broken: check.broken,
    cpuSeconds: (user + system) / 1e6,
    order: [...order.subarray(0, ordered)],
  };
}

// A line on standard input asks for the report; its end is the server's.
for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${JSON.stringify(report())}\n`);
temp[Symbol.dispose]();
process.exit();
