import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createRandom, pickInteger } from "../../../src/core/random.ts";
import { listenNames, type NameAnswer, type NameServer } from "../../dns-server.ts";

/** A request as the server saw it. */
export interface SeenRequest {
  readonly host: string;
  readonly path: string;
  /** Address at which it came in. */
  readonly address: string;
  readonly beganAt: number;
  endedAt: number;
}

/** Many sites by host name, on loopback addresses of one port, and the name server that knows them. */
export interface LoopbackWeb extends AsyncDisposable {
  readonly port: number;
  readonly names: NameServer;
  readonly requests: SeenRequest[];
  /** Requests for pages, as `host/path`, without robots.txt. */
  readonly pages: () => string[];
  /** Origin of a host. */
  readonly originOf: (host: string) => string;
}

export interface LoopbackWebOptions {
  readonly addressOf: (host: string) => NameAnswer;
  readonly answer: (
    request: { readonly host: string; readonly path: string; readonly port: number },
    response: ServerResponse,
  ) => void;
  /** Loopback addresses with a server. Default: one. */
  readonly addresses?: readonly string[];
}

function listen(server: Server, port: number, address: string): Promise<unknown> {
  server.listen(port, address);
  return once(server, "listening");
}

/** Starts the servers and the name server. */
export async function openLoopbackWeb(options: LoopbackWebOptions): Promise<LoopbackWeb> {
  const { addressOf, answer, addresses = ["127.0.0.1"] } = options;
  const requests: SeenRequest[] = [];
  const servers: Server[] = [];
  let port = 0;
  for (const address of addresses) {
    const server = createServer((request: IncomingMessage, response) => {
      const host = (request.headers.host ?? "").split(":", 1)[0] as string;
      const path = request.url ?? "";
      const seen = { host, path, address, beganAt: performance.now(), endedAt: Number.POSITIVE_INFINITY };
      requests.push(seen);
      response.once("close", () => {
        seen.endedAt = performance.now();
      });
      answer({ host, path, port }, response);
    });
    await listen(server, port, address);
    port = (server.address() as AddressInfo).port;
    servers.push(server);
  }
  const names = await listenNames(addressOf);
  return {
    port,
    names,
    requests,
    pages: () => requests.filter(({ path }) => path !== "/robots.txt").map(({ host, path }) => host + path),
    originOf: (host) => `http://${host}:${port}`,
    [Symbol.asyncDispose]: async () => {
      await names[Symbol.asyncDispose]();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

/** A page of a generated web, and what it links to. */
export interface GeneratedWeb {
  readonly hosts: readonly string[];
  /** Paths of a host's pages. */
  readonly pathsOf: (host: string) => readonly string[];
  /** `host/path` of each page that a page links to. */
  readonly linksOf: (page: string) => readonly string[];
}

/** Sites of different sizes whose pages link to the next pages of the site, so that all are reached, and to other sites. */
export function generateWeb(sites: number, seed: number): GeneratedWeb {
  const random = createRandom(seed);
  const hosts = Array.from({ length: sites }, (_, at) => `s${at}.example`);
  const paths = new Map(
    hosts.map((host) => {
      const count = Math.min(40, Math.ceil(1 / (1 - random() * 0.97)));
      return [host, Array.from({ length: count }, (_, at) => (at === 0 ? "/" : `/p${at}.html`))];
    }),
  );
  const links = new Map<string, string[]>();
  for (const [number, host] of hosts.entries()) {
    const own = paths.get(host) ?? [];
    for (const [at, path] of own.entries()) {
      const inside = [own[2 * at + 1], own[2 * at + 2], own[0]].flatMap((to) => (to === undefined ? [] : [host + to]));
      const next = at === 0 ? [hosts[2 * number + 1], hosts[2 * number + 2]] : [hosts[pickInteger(random, sites)]];
      links.set(host + path, [...inside, ...next.flatMap((to) => (to === undefined ? [] : [`${to}/`]))]);
    }
  }
  return { hosts, pathsOf: (host) => paths.get(host) ?? [], linksOf: (page) => links.get(page) ?? [] };
}

/** Answers for a generated web: a page of links, and a robots.txt that allows everything. */
export function serveWeb(web: GeneratedWeb): LoopbackWebOptions["answer"] {
  return ({ host, path, port }, response) => {
    if (path === "/robots.txt") {
      response.setHeader("content-type", "text/plain").end("User-agent: *\nDisallow: /private/\n");
      return;
    }
    if (!web.pathsOf(host).includes(path)) {
      response.writeHead(404).end();
      return;
    }
    const links = web.linksOf(host + path).map((to) => {
      const [name = "", ...rest] = to.split("/");
      return `<a href="http://${name}:${port}/${rest.join("/")}">x</a>`;
    });
    response.setHeader("content-type", "text/html").end(`<title>${host}${path}</title>${links.join("\n")}`);
  };
}
