import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { exportSite } from "../../src/exporter/export-site.ts";
import { publishedFolder } from "../../src/formats/archive/archive-index.ts";
import { churn, listPages, makeSite } from "./churn.ts";
import type { Random } from "./random.ts";
import { type OpenRequest, type Run, type Spacing, VisitLog } from "./visit-log.ts";

/** How sites of a trial say what changed. */
export const trialKinds = ["archives", "sitemap", "links", "resourcesync"] as const;

/** One of {@link trialKinds}. */
export type TrialKind = (typeof trialKinds)[number];

interface ServedPage {
  readonly body: Buffer;
  readonly etag: string;
  readonly mtimeMs: number;
}

/** A page as it once was. */
interface FormerPage {
  readonly path: string;
  readonly body: Buffer;
  readonly date: Date;
}

/** What a trial's sites have in common. */
export interface TrialSiteOptions {
  readonly folder: string;
  readonly pages: number;
  readonly random: Random;
  readonly spacing: Spacing;
  readonly runs: ReadonlyMap<string, Run>;
  /** Of how many requests one goes wrong. */
  readonly troubleEvery: number;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  txt: "text/plain",
  css: "text/css",
  xml: "text/xml",
};
const formerPages = 200;

function isFolderList(path: string): boolean {
  return path === "/" || /^\/[0-9a-z]\/$/.test(path);
}

/** A site of a trial, its server and the log of it. */
export class TrialSite implements AsyncDisposable {
  readonly kind: TrialKind;
  readonly docroot: string;
  readonly log: VisitLog;
  readonly origin: string;
  /** Paths that some copy was seen to hold, and that never vanished since. */
  readonly seen: Set<string> = new Set();
  /**
   * Pages that are gone, where a crawler learns that by 404 only, and was answered so. It keeps what it has of them for two days
   * (docs/decisions/0154-days-before-a-page-is-given-up.md).
   */
  readonly missing: Set<string> = new Set();
  /** Whether requests may go wrong. */
  isTroubled = false;
  /** Answers that went wrong. */
  troubles = 0;
  readonly #options: TrialSiteOptions;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  #pages = new Map<string, ServedPage>();
  #former: FormerPage[] = [];
  readonly #missed = new Map<string, number>();

  private constructor(kind: TrialKind, host: string, port: number, options: TrialSiteOptions) {
    this.kind = kind;
    this.docroot = join(options.folder, `site-${host}`);
    this.origin = `http://${host}:${port}`;
    this.#options = options;
    this.log = new VisitLog(this.origin, options.spacing, options.runs);
  }

  static async open(kind: TrialKind, host: string, options: TrialSiteOptions): Promise<TrialSite> {
    // The name of a site has its port.
    const probe = createServer().listen(0, host);
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await once(probe, "close");
    const site = new TrialSite(kind, host, port, options);
    mkdirSync(site.docroot);
    makeSite(site.docroot, options.pages, options.random);
    site.#server.listen(port, host);
    await once(site.#server, "listening");
    await site.publish();
    return site;
  }

  /** Paths of all pages but lists of links. */
  get paths(): Iterable<string> {
    return this.#pages.keys();
  }

  body(path: string): Buffer | undefined {
    return this.#pages.get(path)?.body;
  }

  get count(): number {
    return this.#pages.size;
  }

  /** Lets pages appear, change and vanish; some become what they were before. */
  async change(share: number): Promise<void> {
    const { random } = this.#options;
    const sampled = random.sample([...this.#pages.keys()], Math.ceil(this.#pages.size * share));
    for (const path of sampled) {
      const page = this.#pages.get(path);
      if (page !== undefined) this.#former.push({ path, body: page.body, date: new Date(page.mtimeMs) });
    }
    churn(this.docroot, random, share);
    this.#former = random.sample(this.#former, formerPages);
    for (const former of random.sample(this.#former, Math.ceil(sampled.length / 2))) this.#rollBack(former);
    await this.publish();
  }

  async publish(): Promise<void> {
    const { kind, docroot, origin } = this;
    if (kind === "archives" || kind === "resourcesync")
      await exportSite({
        docroot,
        baseUrl: `${origin}/`,
        stateDir: `${docroot}-state`,
        segmentSize: 150,
        minGroup: 10,
        resourceSync: kind === "resourcesync",
      });
    this.#load();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
    rmSync(this.docroot, { recursive: true, force: true });
  }

  // A page that was gone is not looked at again for a month because of links, which say nothing new of it: there it stays gone.
  #rollBack({ path, body, date }: FormerPage): void {
    const file = join(this.docroot, decodeURI(path));
    if (this.kind === "links" && !existsSync(file)) return;
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, body);
    utimesSync(file, date, date);
  }

  #load(): void {
    const before = this.#pages;
    this.#pages = new Map();
    for (const file of listPages(this.docroot)) {
      const path = encodeURI(file);
      const { mtimeMs } = statSync(join(this.docroot, file));
      const body = readFileSync(join(this.docroot, file));
      const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 20)}"`;
      this.#pages.set(path, { body, etag, mtimeMs });
    }
    for (const path of before.keys()) if (!this.#pages.has(path)) this.seen.delete(path);
    for (const path of this.#pages.keys()) this.missing.delete(path);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "/";
    const run = request.headers["user-agent"] ?? "nobody";
    const opened = this.log.begin(run, Date.now());
    response.once("close", () => this.log.end(opened, Date.now()));
    const { random, troubleEvery } = this.#options;
    const isTrouble = this.isTroubled && path !== "/robots.txt" && random.below(troubleEvery) === 0;
    const act = (): void => {
      if (isTrouble && this.#goWrong(path, response, opened)) return;
      this.#serve(request, path, response);
      this.log.end(opened, Date.now());
    };
    if (random.below(20) === 0) setTimeout(act, random.below(5));
    else act();
  }

  #goWrong(path: string, response: ServerResponse, opened: OpenRequest): boolean {
    const { random } = this.#options;
    const choice = random.below(10);
    this.troubles++;
    const fail = (status: number, fields: Record<string, string> = {}): void => {
      response.writeHead(status, { "content-type": "text/html", ...fields }).end("<h1>This is an error page</h1>");
    };
    if (choice < 5) {
      const seconds = 1 + random.below(3);
      const date = Math.ceil(Date.now() / 1000 + seconds) * 1000;
      const isDate = choice < 2;
      fail(choice % 2 === 0 ? 503 : 429, { "retry-after": isDate ? new Date(date).toUTCString() : String(seconds) });
      const now = Date.now();
      this.log.end(opened, now, isDate ? date - now : seconds * 1000);
      return true;
    }
    if (choice === 5) fail(500);
    else if (choice === 6) fail(503);
    else if (choice === 7) {
      const missed = this.#missed.get(path) ?? 0;
      if (!this.seen.has(path) || missed >= 2) return false;
      this.#missed.set(path, missed + 1);
      fail(404);
    } else if (choice === 8) {
      response.destroy();
      this.log.endWithoutAnswer(opened, Date.now());
    } else {
      // Half a body.
      response.writeHead(200, { "content-type": "text/html", "content-length": "4000" });
      response.write("<h1>This is an error page</h1>", () => response.destroy());
    }
    this.log.end(opened, Date.now());
    return true;
  }

  #serve(request: IncomingMessage, path: string, response: ServerResponse): void {
    const page = this.#pages.get(path);
    if (page !== undefined) {
      const modified = new Date(page.mtimeMs).toUTCString();
      const fields = { etag: page.etag, "last-modified": modified };
      if (request.headers["if-none-match"] === page.etag) return void response.writeHead(304, fields).end();
      const type = types[path.split(".").at(-1) ?? ""] ?? "application/octet-stream";
      return void response
        .writeHead(200, { ...fields, "content-type": type, "content-length": String(page.body.length) })
        .end(page.body);
    }
    const made = this.#madeFile(path);
    // With true ones, too, a page that came back must not be missed three times.
    if (made === undefined) this.#missed.set(path, (this.#missed.get(path) ?? 0) + 1);
    if (made === undefined && (this.kind === "sitemap" || this.kind === "links")) this.missing.add(path);
    if (made === undefined) response.writeHead(404).end("<h1>This is an error page</h1>");
    else response.writeHead(200, made.type === "" ? {} : { "content-type": made.type }).end(made.body);
  }

  #madeFile(path: string): { readonly type: string; readonly body: string | Buffer } | undefined {
    const { kind } = this;
    if (path === "/robots.txt" && kind !== "archives") return { type: "text/plain", body: "User-agent: *\nAllow: /\n" };
    if (kind === "links" && isFolderList(path)) return { type: "text/html", body: this.#linksOf(path) };
    if (kind === "sitemap" && path === "/sitemap.xml") return { type: "application/xml", body: this.#sitemap() };
    if (kind !== "archives" && kind !== "resourcesync") return undefined;
    // Else the better source would be used.
    if (kind === "resourcesync" && path.startsWith(`${publishedFolder}index`)) return undefined;
    if (path !== "/robots.txt" && !path.startsWith("/.well-known/")) return undefined;
    const file = join(this.docroot, path);
    return existsSync(file) ? { type: "", body: readFileSync(file) } : undefined;
  }

  #linksOf(folder: string): string {
    const names =
      folder === "/"
        ? Array.from({ length: 36 }, (_, at) => `/${at.toString(36)}/`)
        : [...this.#pages.keys()].filter((path) => path.startsWith(folder));
    return `<!doctype html><title>${folder}</title>${names.map((name) => `<a href="${name}">page</a>`).join("\n")}`;
  }

  #sitemap(): string {
    const urls = [...this.#pages].map(
      ([path, { mtimeMs }]) =>
        `<url><loc>${this.origin}${path}</loc><lastmod>${new Date(mtimeMs).toISOString()}</lastmod></url>`,
    );
    return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("\n")}</urlset>`;
  }
}
