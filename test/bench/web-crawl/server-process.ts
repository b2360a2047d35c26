import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { listenNames } from "../../dns-server.ts";
import { MadeSites } from "./made-sites.ts";

/** What the server saw. */
export interface ServerReport {
  /** Pages that were requested, requests for pages that were repeated, and pages that were never requested and should have been. */
  readonly requested: number;
  readonly repeated: number;
  readonly missed: number;
  readonly robots: number;
  readonly trapPages: number;
  /** Requests to an address while another was under way. */
  readonly impolite: number;
  readonly cpuSeconds: number;
  /** Numbers of the pages in the order of their first requests. */
  readonly order: readonly number[];
}

const [sites = 100, pages = 1000, seed = 1, friendly = 0] = process.argv.slice(2).map(Number);
const made = new MadeSites(sites, pages, seed, friendly === 1);
const slowMs = 200;
const filler = `<p>${"The page has some text, as pages do. ".repeat(40)}</p>`;
const counts = new Uint8Array(made.pages);
const underWay = new Uint8Array(made.sites);
const order = new Uint32Array(made.pages);
let ordered = 0;
let robots = 0;
let trapPages = 0;
let impolite = 0;

const server = createServer((request, response) => {
  const host = (request.headers.host ?? "").split(":", 1)[0] ?? "";
  const site = made.siteOf(host);
  if (site === undefined) return void response.writeHead(421).end();
  const kind = made.kindOf(site);
  if (kind === "dead") return;
  if ((underWay[site] as number) > 0) impolite++;
  underWay[site] = (underWay[site] as number) + 1;
  response.once("close", () => {
    underWay[site] = (underWay[site] as number) - 1;
  });
  const path = request.url ?? "";
  const send = (): void => {
    if (path === "/robots.txt") {
      robots++;
      return void response.setHeader("content-type", "text/plain").end("User-agent: *\nDisallow: /private/\n");
    }
    response.setHeader("content-type", "text/html");
    const [, trapped] = /^\/trap\/(\d+)\/$/.exec(path) ?? [];
    if (trapped !== undefined) trapPages++;
    const page = made.pageOf(path);
    if (trapped === undefined && (page === undefined || page >= made.sizeOf(site)))
      return void response.writeHead(404).end();
    const trap = kind === "trap" ? `<a href="/trap/${Number(trapped ?? 0) + 1}/">next</a>` : "";
    if (page === undefined) return void response.end(trap);
    const number = (made.firsts[site] as number) + page;
    if (counts[number] === 0) order[ordered++] = number;
    counts[number] = Math.min(255, (counts[number] as number) + 1);
    const links = made.linksOf(site, page).map(([to, at]) => {
      const origin = to === site ? "" : `http://${made.hostOf(to)}:${port}`;
      return `<a href="${origin}${made.pathOf(at)}">page ${at}</a>`;
    });
    response.end(`<!doctype html><title>${host}${path}</title>${filler}${links.join("\n")}${trap}`);
  };
  if (kind === "slow") setTimeout(send, slowMs);
  else send();
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
    const isDead = made.kindOf(site) === "dead";
    for (let number = made.firsts[site] as number; number < (made.firsts[site + 1] as number); number++) {
      const count = counts[number] as number;
      if (count > 0) requested++;
      else if (!isDead) missed++;
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
    impolite,
    cpuSeconds: (user + system) / 1e6,
    order: [...order.subarray(0, ordered)],
  };
}

// A line on standard input asks for the report; its end is the server's.
for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${JSON.stringify(report())}\n`);
process.exit();
