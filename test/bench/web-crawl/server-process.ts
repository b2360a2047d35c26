import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { listenNames } from "../../dns-server.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type ExportedSite, exportMadeSite } from "./exported-site.ts";
import { HostilePart, type Hostility } from "./hostile-part.ts";
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
  /** How long each answer takes, in milliseconds. */
  readonly latencyMs: number;
  readonly hostility: Hostility | undefined;
}

/** What the server saw. */
export interface ServerReport {
  /** Pages that were requested, requests that were repeated (pages of traps, too), and pages that were never requested and should have been. */
  readonly requested: number;
  readonly repeated: number;
  readonly missed: number;
  readonly robots: number;
  /** Different pages of traps that were requested. */
  readonly trapPages: number;
  /** Sites that were exported, and requests for what the exporter published but robots.txt. */
  readonly exported: number;
  readonly published: number;
  readonly broken: BrokenRules;
  /** Requests to hostile sites, and questions for their addresses. */
  readonly hostile: number;
  readonly hostileNames: number;
  /** From the first request of all to the first one for a page, for the mean page and for the last one. */
  readonly meanSeconds: number;
  readonly lastSeconds: number;
  readonly cpuSeconds: number;
  /** Numbers of the pages in the order of their first requests. */
  readonly order: readonly number[];
}

const given = JSON.parse(process.argv[2] ?? "{}") as ServerOptions;
const { sites, pages, seed, isFriendly, restMs, pagesBeforeRest, latencyMs, hostility } = given;
const made = new MadeSites(sites, pages, seed, isFriendly);
const slowMs = 200;
const counts = new Uint8Array(made.pages);
const order = new Uint32Array(made.pages);
const check = new PolitenessCheck(made, restMs, pagesBeforeRest);
const temp = makeTempFolder("bench-server");
const exported = new Map<number, Promise<ExportedSite>>();
let ordered = 0;
let robots = 0;
/** Pages of traps by site, and requests for those that were repeated. */
const trapped = new Map<number, Set<string>>();
let trapPages = 0;
let trapRepeats = 0;
let published = 0;
const part = hostility === undefined ? undefined : new HostilePart(hostility);
let hostile = 0;
let hostileNames = 0;
let beganAt: number | undefined;
let summedMs = 0;
let lastMs = 0;

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
  const [, step] = /^\/trap\/(\d+)\/$/.exec(path) ?? [];
  if (step !== undefined && made.kindOf(site) === "trap") {
    const seen = trapped.get(site) ?? new Set();
    trapped.set(site, seen);
    if (seen.has(step)) trapRepeats++;
    else trapPages++;
    seen.add(step);
    return `<a href="/trap/${Number(step) + 1}/">next</a>`;
  }
  const page = made.pageOf(path);
  if (page === undefined || page >= made.sizeOf(site)) return undefined;
  const number = (made.firsts[site] as number) + page;
  if (counts[number] === 0) {
    order[ordered++] = number;
    lastMs = performance.now() - (beganAt ?? 0);
    summedMs += lastMs;
  }
  counts[number] = Math.min(255, (counts[number] as number) + 1);
  const bait = part !== undefined && number === 0 ? `<a href="http://${part.bait}:${port}/">bait</a>` : "";
  return bait + made.htmlOf(site, page, port);
}

function answerHostile(host: string, path: string, response: ServerResponse): void {
  hostile++;
  if (path === "/robots.txt" && !host.startsWith("bad")) return void response.writeHead(404).end();
  const body = part?.htmlOf(host, path, port);
  if (body !== undefined) setTimeout(() => response.setHeader("content-type", "text/html").end(body), latencyMs);
}

const server = createServer((request, response) => {
  const host = (request.headers.host ?? "").split(":", 1)[0] ?? "";
  const site = made.siteOf(host);
  beganAt ??= performance.now();
  if (site === undefined) return void answerHostile(host, request.url ?? "", response);
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
  const waitMs = kind === "slow" ? slowMs : latencyMs;
  if (waitMs > 0) setTimeout(() => void send(), waitMs);
  else void send();
});
server.listen(0, "0.0.0.0");
await new Promise((resolve) => server.once("listening", resolve));
const { port } = server.address() as AddressInfo;
const names = await listenNames((name) => {
  const site = made.siteOf(name);
  if (site !== undefined) return [made.addressOf(site)];
  hostileNames++;
  return part?.addressOf(name) ?? "no-name";
});
process.stdout.write(`${JSON.stringify({ port, nameServer: names.address })}\n`);

function report(): ServerReport {
  let requested = 0;
  let repeated = trapRepeats;
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
    ...{ hostile, hostileNames },
    meanSeconds: summedMs / Math.max(1, ordered) / 1000,
    lastSeconds: lastMs / 1000,
    cpuSeconds: (user + system) / 1e6,
    order: [...order.subarray(0, ordered)],
  };
}

// A line on standard input asks for the report; its end is the server's.
for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${JSON.stringify(report())}\n`);
temp[Symbol.dispose]();
process.exit();
