import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Clock, EpochMs } from "../../../src/core/time.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { addressOfHost, badHost } from "./loopback-names.ts";

/** What is wrong with sites that may keep no other waiting. */
export const badKinds = ["hangs", "floods", "wrong clock", "vanishes"] as const;

/** One of {@link badKinds}. */
export type BadKind = (typeof badKinds)[number];

const dayMs = 86_400_000;
const clockErrorMs = 40 * dayMs;
const pages = 6;
/** So much each time is 100 Mbit a second, as fast as a wire may be; of loopback a machine would do nothing else. */
const flood = Buffer.alloc(256 * 1024, "flood ");
const pourMs = 20;

/** A site that is well until it is told to be bad. */
export class BadSite implements AsyncDisposable {
  readonly kind: BadKind;
  readonly origin: string;
  readonly #clock: Clock;
  readonly #docroot: string;
  readonly #stateDir: string;
  readonly #server: Server;
  readonly #requests = new Map<string, number>();
  #isBad = false;
  #errorMs = 0;
  #floods = 0;

  private constructor(kind: BadKind, origin: string, means: { readonly folder: string; readonly clock: Clock }) {
    this.kind = kind;
    this.origin = origin;
    this.#clock = means.clock;
    this.#docroot = join(means.folder, "docroot");
    this.#stateDir = join(means.folder, "state");
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async open(
    kind: BadKind,
    number: number,
    port: number,
    means: { folder: string; clock: Clock },
  ): Promise<BadSite> {
    const host = badHost(number);
    const site = new BadSite(kind, `http://${host}:${port}`, {
      folder: join(means.folder, `bad-${number}`),
      clock: means.clock,
    });
    mkdirSync(site.#docroot, { recursive: true });
    site.#write(0);
    if (kind === "wrong clock") await site.#tellTime(clockErrorMs);
    site.#server.listen(port, addressOfHost(host));
    await once(site.#server, "listening");
    return site;
  }

  /** Requests that each crawler made. */
  get requests(): ReadonlyMap<string, number> {
    return this.#requests;
  }

  /** Begins to be bad. */
  begin(): void {
    this.#isBad = true;
    if (this.kind !== "vanishes") return;
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Is called again and again, so that there is something to fetch; a clock that is wrong jumps from ahead to behind. */
  async change(round: number): Promise<void> {
    this.#write(round);
    if (this.kind === "wrong clock") await this.#tellTime(round % 2 === 0 ? clockErrorMs : -clockErrorMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  #write(round: number): void {
    const links = Array.from({ length: pages }, (_, page) => `<a href="/${page}.html">${page}</a>`).join("\n");
    writeFileSync(join(this.#docroot, "index.html"), `<!doctype html><title>bad</title>${links}`);
    for (let page = 0; page < pages; page++)
      writeFileSync(join(this.#docroot, `${page}.html`), `<!doctype html><title>${page}</title><p>Round ${round}.`);
  }

  async #tellTime(errorMs: number): Promise<void> {
    this.#errorMs = errorMs;
    const [docroot, stateDir, baseUrl] = [this.#docroot, this.#stateDir, `${this.origin}/`];
    await exportSite({ docroot, stateDir, baseUrl, index: ["index.html"], clock: () => this.#now() });
  }

  #now(): EpochMs {
    return this.#clock() + this.#errorMs;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const agent = request.headers["user-agent"] ?? "";
    this.#requests.set(agent, (this.#requests.get(agent) ?? 0) + 1);
    response.sendDate = false;
    response.setHeader("date", new Date(this.#now()).toUTCString());
    if (this.#isBad && this.kind === "hangs") return;
    if (this.#isBad && this.kind === "floods") this.#flood(response);
    else this.#serve(request.url ?? "/", response);
  }

  #serve(path: string, response: ServerResponse): void {
    const file = join(this.#docroot, path === "/" ? "index.html" : path);
    if (path.includes("..") || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const modified = new Date(statSync(file).mtimeMs + this.#errorMs).toUTCString();
    const type = file.endsWith(".html") ? { "content-type": "text/html" } : {};
    // One that hangs or floods has nothing that could be asked for less.
    response.writeHead(200, { ...type, "last-modified": modified }).end(readFileSync(file));
  }

  #flood(response: ServerResponse): void {
    const turn = this.#floods++ % 5;
    if (turn === 0) response.writeHead(429).end();
    else if (turn === 1) response.writeHead(503, { "retry-after": "0" }).end();
    else if (turn === 2) response.writeHead(429, { "retry-after": "tomorrow, perhaps" }).end(flood);
    else this.#pour(response);
  }

  /** Without an end. */
  #pour(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/html" });
    const timer = setInterval(() => {
      if (!response.writableNeedDrain) response.write(flood);
    }, pourMs);
    response.once("close", () => clearInterval(timer));
  }
}
