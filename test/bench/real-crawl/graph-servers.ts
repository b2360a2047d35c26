import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { Web } from "../../../lab/webs/web.ts";
import { findFreePort } from "../../interop/web-server.ts";

/** A generated web on loopback: a server a site, each with an address of its own. */
export class GraphServers implements AsyncDisposable {
  readonly #web: Web;
  readonly #port: number;
  readonly #servers: readonly Server[];
  /** The number of each site's first page; they follow each other. */
  readonly #homes: ReadonlySet<number>;

  private constructor(web: Web, port: number) {
    this.#web = web;
    this.#port = port;
    this.#homes = new Set(web.homes);
    this.#servers = Array.from(web.homes, () =>
      createServer((request, response) =>
        this.#answer(this.pageOf(request.headers.host ?? "", request.url ?? ""), response),
      ),
    );
  }

  static async open(web: Web): Promise<GraphServers> {
    const servers = new GraphServers(web, await findFreePort());
    for (const [site, server] of servers.#servers.entries()) {
      server.listen(servers.#port, servers.#addressOf(site));
      await once(server, "listening");
    }
    return servers;
  }

  get origins(): readonly string[] {
    return Array.from(this.#web.homes, (_, site) => this.#originOf(site));
  }

  /** The page of a URL by its host with port and its path; undefined if there is none. */
  pageOf(host: string, path: string): number | undefined {
    const [, high, low] = /^127\.12\.(\d+)\.(\d+):/.exec(host) ?? [];
    const site = Number(high) * 256 + Number(low) - 1;
    if (path === "/") return this.#web.homes[site];
    const page = Number(/^\/page-(\d+)\.html$/.exec(path)?.[1]);
    return this.#web.siteOf[page] === site && !this.#homes.has(page) ? page : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    }
  }

  #addressOf(site: number): string {
    return `127.12.${(site + 1) >> 8}.${(site + 1) & 255}`;
  }

  #originOf(site: number): string {
    return `http://${this.#addressOf(site)}:${this.#port}`;
  }

  #urlOf(page: number): string {
    const path = this.#homes.has(page) ? "/" : `/page-${page}.html`;
    return `${this.#originOf(this.#web.siteOf[page] ?? 0)}${path}`;
  }

  #answer(page: number | undefined, response: ServerResponse): void {
    if (page === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { offsets, targets } = this.#web.graph;
    const links = Array.from(
      targets.subarray(offsets[page], offsets[page + 1]),
      (to) => `<a href="${this.#urlOf(to)}">page</a>`,
    );
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<!doctype html><title>Page ${page}</title>${links.join("\n")}`);
  }
}
