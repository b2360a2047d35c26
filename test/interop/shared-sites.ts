import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "./random.ts";
import { findFreePort, startWebServer, type WebServer } from "./web-server.ts";

/** How many sites there are, of how many pages each, beside a start page that never changes. */
export interface SiteCounts {
  readonly sites: number;
  readonly pages: number;
}

interface Answer {
  readonly at: number;
  readonly url: string;
}

/** What the access log says of a crawler in a span of time. */
export interface CrawlerRecord {
  /** The share of time and pages in which it had seen the version that was served. */
  readonly freshness: number;
  readonly requests: number;
  readonly bytes: number;
}

const logLine = /^(\d+\.\d+) (\S+) (\S+) (\d{3}) (\d+) (\S+?)\//;

/**
 * Sites on addresses of their own whose pages change, served by nginx. Which crawler has seen which version is known from
 * the access log alone.
 */
export class SharedSites implements AsyncDisposable {
  readonly origins: readonly string[];
  readonly #server: WebServer;
  readonly #folder: string;
  readonly #random = createRandom(21);
  /** By page, when it changed, in seconds since 1970. */
  readonly #changes = new Map<string, number[]>();

  constructor(server: WebServer, folder: string, origins: readonly string[], pages: readonly string[]) {
    this.#server = server;
    this.#folder = folder;
    this.origins = origins;
    for (const url of pages) this.#changes.set(url, []);
  }

  static async open(folder: string, { sites, pages }: SiteCounts): Promise<SharedSites> {
    const port = await findFreePort();
    const hosts = Array.from({ length: sites }, (_, site) => `127.1.0.${site + 1}`);
    const names = Array.from({ length: pages }, (_, page) => `p${page}.html`);
    const docroot = join(folder, "sites");
    for (const host of hosts) {
      mkdirSync(join(docroot, host), { recursive: true });
      writeFileSync(join(docroot, host, "index.html"), names.map((name) => `<a href="/${name}">x</a>`).join(""));
      for (const name of names) writeFileSync(join(docroot, host, name), "<p>version 0");
    }
    const log = join(folder, "sites.log");
    const server = await startWebServer("nginx", docroot, {
      http: "log_format witness '$msec $server_addr $request_uri $status $body_bytes_sent $http_user_agent';",
      snippet: [
        ...hosts.map((host) => `listen ${host}:${port};`),
        `access_log ${log} witness;`,
        `location / { root ${docroot}/$server_addr; }`,
      ].join("\n"),
    });
    const origins = hosts.map((host) => `http://${host}:${port}`);
    return new SharedSites(
      server,
      folder,
      origins,
      hosts.flatMap((host) => names.map((name) => `${host}/${name}`)),
    );
  }

  /** Changes a page. */
  change(): void {
    const [url = ""] = this.#random.sample([...this.#changes.keys()], 1);
    const changes = this.#changes.get(url) ?? [];
    const file = join(this.#folder, "sites", url);
    // nginx makes its ETag of the second and the size.
    writeFileSync(`${file}.new`, `<p>version ${changes.length + 1}${" ".repeat(changes.length % 10)}`);
    renameSync(`${file}.new`, file);
    changes.push(Date.now() / 1000);
  }

  /** What each crawler did, by the name in its User-Agent, between two instants in seconds since 1970. */
  async readRecords(from: number, to: number): Promise<Map<string, CrawlerRecord>> {
    // The server ends gracefully, so that its log is whole.
    await this.#server[Symbol.asyncDispose]();
    const answers = new Map<string, Answer[]>();
    const sums = new Map<string, { requests: number; bytes: number }>();
    for (const line of readFileSync(join(this.#folder, "sites.log"), "utf8").trimEnd().split("\n")) {
      const [, msec, host = "", path = "", status, bytes, crawler = ""] = logLine.exec(line) ?? [];
      // The question whether the server is up is our own.
      if (line.includes(" 127.0.0.1 ")) continue;
      if (msec === undefined) throw new Error(`not a line of the access log: ${line}`);
      const at = Number(msec);
      const sum = sums.get(crawler) ?? { requests: 0, bytes: 0 };
      sums.set(crawler, sum);
      if (at >= from && at < to) {
        sum.requests += 1;
        sum.bytes += Number(bytes);
      }
      const all = answers.get(crawler) ?? [];
      answers.set(crawler, all);
      if (status === "200" || status === "304") all.push({ at, url: host + path });
    }
    return new Map(
      [...sums].map(([crawler, sum]) => {
        const freshness = this.#freshnessOf(answers.get(crawler) ?? [], from, to);
        return [crawler, { ...sum, freshness }];
      }),
    );
  }

  #freshnessOf(answers: readonly Answer[], from: number, to: number): number {
    const byPage = new Map<string, number[]>([...this.#changes.keys()].map((url) => [url, []]));
    for (const { at, url } of answers) byPage.get(url)?.push(at);
    let fresh = 0;
    for (const [url, changes] of this.#changes) {
      const times = byPage.get(url) ?? [];
      // From an answer on the version is known, until the page changes; answers do not overlap.
      let until = from;
      for (const at of times) {
        const gone = changes.find((time) => time > at) ?? to;
        fresh += Math.max(0, Math.min(gone, to) - Math.max(at, until));
        until = Math.max(until, Math.min(gone, to));
      }
    }
    return fresh / (to - from) / this.#changes.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
