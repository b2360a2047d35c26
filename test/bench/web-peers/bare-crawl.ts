// What Node takes for a crawl of the Web at the least: names, robots.txt, requests and links. The frontier is in memory, nothing is kept,
// and links are found by one pattern. Usage: bare-crawl SEED NAME-SERVER CONNECTIONS TIMEOUT-SECONDS DEPTH
import { Resolver } from "node:dns/promises";
import { Client } from "undici";

const pagesOfTurn = 10;
const mostFailures = 3;
const [seed = "", nameServer = "", connections, timeoutSeconds, depth] = process.argv.slice(2);
const timeoutMs = Number(timeoutSeconds) * 1000;

interface Host {
  readonly origin: string;
  readonly pages: { readonly path: string; readonly depth: number }[];
  isOpen: boolean;
  failures: number;
  address?: string | undefined;
  disallowed?: readonly string[];
}

const names = new Resolver();
names.setServers([nameServer]);
const seen = new Set<string>();
const hosts = new Map<string, Host>();
const waiting: Host[] = [];
let open = 0;

function add(link: string, base: string, at: number): void {
  if (at > Number(depth) || !URL.canParse(link, base)) return;
  const { protocol, origin, pathname, search } = new URL(link, base);
  const path = pathname + search;
  if (protocol !== "http:" || seen.has(origin + path)) return;
  seen.add(origin + path);
  const host = hosts.get(origin) ?? { origin, pages: [], isOpen: false, failures: 0 };
  hosts.set(origin, host);
  if (host.failures >= mostFailures) return;
  host.pages.push({ path, depth: at });
  give(host);
}

function give(host: Host): void {
  if (host.isOpen || host.pages.length === 0) return;
  host.isOpen = true;
  waiting.push(host);
  begin();
}

function begin(): void {
  for (; open < Number(connections) && waiting.length > 0; open++) {
    const host = waiting.shift() as Host;
    void visit(host).then(() => {
      open--;
      host.isOpen = false;
      give(host);
      begin();
    });
  }
}

async function visit(host: Host): Promise<void> {
  const { hostname, port, host: name } = new URL(host.origin);
  let client: Client | undefined;
  try {
    host.address ??= (await names.resolve4(hostname))[0];
    const options = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, connect: { timeout: timeoutMs } };
    const opened = new Client(`http://${host.address}:${port}`, options);
    client = opened;
    const get = async (path: string) => {
      const answer = await opened.request({ method: "GET", path, headers: { "user-agent": "bare", host: name } });
      return { ...answer, text: await answer.body.text() };
    };
    host.disallowed ??= readRobots(await get("/robots.txt"));
    for (let count = 0; count < pagesOfTurn; count++) {
      const page = host.pages.shift();
      if (page === undefined) break;
      if (host.disallowed.some((prefix) => page.path.startsWith(prefix))) continue;
      const { headers, text } = await get(page.path);
      host.failures = 0;
      if (typeof headers.location === "string") add(headers.location, host.origin + page.path, page.depth + 1);
      for (const [, link = ""] of text.matchAll(/<a\s[^>]*?href="([^"]*)"/gi))
        add(link, host.origin + page.path, page.depth + 1);
    }
  } catch {
    if (++host.failures >= mostFailures) host.pages.length = 0;
  }
  client?.destroy();
}

function readRobots({ statusCode, text }: { readonly statusCode: number; readonly text: string }): readonly string[] {
  if (statusCode >= 500) return ["/"];
  return statusCode === 200 ? [...text.matchAll(/^disallow:[ \t]*(\S+)/gim)].map(([, path]) => path as string) : [];
}

add(seed, seed, 0);
