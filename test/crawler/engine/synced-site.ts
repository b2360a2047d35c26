import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CrawlSummary } from "../../../src/core/crawl-event.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import type { ExportSiteOptions } from "../../../src/exporter/export-settings.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { type FolderServer, serveFolder } from "../../../src/server/folder-server.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { readMirror } from "./mirror.ts";

export const dayMs: number = 86_400_000;

export interface SyncedVisit {
  readonly summary: CrawlSummary;
  /** Requests for pages, and for what tells of them. */
  readonly pages: readonly string[];
  readonly lists: readonly string[];
}

/** A folder of pages that is exported with ResourceSync, served, and crawled by that. */
export class SyncedSite implements AsyncDisposable {
  readonly #temp: TempFolder;
  readonly #server: FolderServer;
  readonly #requests: string[];
  readonly docroot: string;
  #parts: string | undefined;
  now: number = Date.UTC(2027, 0, 1);
  /** Is told of each request, as `status path`. */
  onRequest: (request: string) => void = () => undefined;

  constructor(temp: TempFolder, docroot: string, server: FolderServer, requests: string[]) {
    this.#temp = temp;
    this.#server = server;
    this.#requests = requests;
    this.docroot = docroot;
  }

  static async open(pages: number): Promise<SyncedSite> {
    const temp = makeTempFolder();
    const docroot = join(temp.path, "docroot");
    mkdirSync(docroot);
    const requests: string[] = [];
    let note = (request: string): void => void requests.push(request);
    const server = await serveFolder({ folder: docroot, onRequest: ({ path, status }) => note(`${status} ${path}`) });
    const site = new SyncedSite(temp, docroot, server, requests);
    note = (request) => {
      requests.push(request);
      site.onRequest(request);
    };
    for (let at = 0; at < pages; at++) site.write(`d${at % 7}/${at}.html`, `page ${at}`);
    return site;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
    this.#temp[Symbol.dispose]();
  }

  write(name: string, body: string): void {
    mkdirSync(dirname(join(this.docroot, name)), { recursive: true });
    writeFileSync(join(this.docroot, name), body);
  }

  remove(name: string): void {
    rmSync(join(this.docroot, name));
  }

  get url(): string {
    return this.#server.url;
  }

  get mirror(): string {
    return join(this.#temp.path, "mirror");
  }

  async publish(options: Partial<ExportSiteOptions> = {}): Promise<void> {
    await exportSite({
      docroot: this.docroot,
      baseUrl: `${this.#server.url}/`,
      stateDir: join(this.#temp.path, "state"),
      resourceSync: true,
      clock: () => this.now,
      ...options,
    });
  }

  async crawl(options: Partial<CrawlSiteOptions> = {}): Promise<SyncedVisit> {
    this.#requests.length = 0;
    const summary = await crawlSite({
      url: this.#server.url,
      into: this.mirror,
      sources: ["resourcesync"],
      clock: () => this.now,
      ...options,
    });
    const isPage = (request: string): boolean => request.endsWith(".html") || request.endsWith(".png");
    return {
      summary,
      pages: this.#requests.filter(isPage),
      lists: this.#requests.filter((request) => !isPage(request)),
    };
  }

  assertMirrored(): void {
    assert.deepEqual(this.held(), this.served());
  }

  /** The pages of the document root, by path. */
  served(): Record<string, string> {
    const served: Record<string, string> = {};
    for (const entry of readdirSync(this.docroot, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && /\.(?:html|png)$/.test(entry.name))
        served[file.slice(this.docroot.length)] = readFileSync(file, "utf8");
    }
    return served;
  }

  /** What the mirror holds, by file name. */
  held(): Record<string, string> {
    return readMirror(this.mirror, this.#server.url);
  }

  /** Removes published files whose names match. */
  unpublish(pattern: RegExp): void {
    const folder = join(this.docroot, ".well-known");
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
      if (pattern.test(name)) rmSync(join(folder, name), { force: true });
  }

  /** Makes the resource list an index of so many parts; of these only the first are in it. */
  splitResourceList(parts: number, listed: number = parts): void {
    const path = this.#published("resourcelist.xml");
    const list = readFileSync(this.#parts === undefined ? path : this.#parts, "utf8");
    this.#parts ??= `${path}.whole`;
    writeFileSync(this.#parts, list);
    const entries = list.match(/<url>.*?<\/url>/gs) ?? [];
    const [head = ""] = list.split("<url>");
    const each = Math.ceil(entries.length / parts);
    const named: string[] = [];
    for (let part = 0; part < listed; part++) {
      const file = this.#published(`part-${part}.xml`);
      const text = `${head}${entries.slice(part * each, (part + 1) * each).join("")}</urlset>`;
      if (!existsSync(file)) writeFileSync(file, text);
      named.push(`<sitemap><loc>${this.url}/.well-known/tidemark/part-${part}.xml</loc></sitemap>`);
    }
    writeFileSync(path, `${head.replace("<urlset", "<sitemapindex")}${named.join("")}</sitemapindex>`);
  }

  /** Takes the first page out of a part. */
  dropFromPart(part: number): void {
    const file = this.#published(`part-${part}.xml`);
    writeFileSync(file, readFileSync(file, "utf8").replace(/<url>.*?<\/url>/s, ""));
  }

  /** Takes the change lists away, and out of the capability list. */
  dropChangeLists(): void {
    this.unpublish(/changelist/);
    const file = this.#published("capabilitylist.xml");
    writeFileSync(file, readFileSync(file, "utf8").replace(/<url>[^\n]*changelist[^\n]*<\/url>/, ""));
  }

  /** Names a document in an index, in the last place. @returns takes it out again */
  addToIndex(index: string, name: string): () => void {
    const file = this.#published(index);
    const before = readFileSync(file, "utf8");
    const entry = `<sitemap><loc>${this.url}/.well-known/tidemark/${name}</loc></sitemap>`;
    writeFileSync(file, before.replace("</sitemapindex>", `${entry}</sitemapindex>`));
    return () => writeFileSync(file, before);
  }

  /** Does something, and leaves the resource list as it was before. */
  async withOldResourceList(act: () => Promise<void>): Promise<void> {
    const file = this.#published("resourcelist.xml");
    const before = readFileSync(file);
    const { atime, mtime } = statSync(file);
    await act();
    writeFileSync(file, before);
    utimesSync(file, atime, mtime);
  }

  /** Names of published files that match. */
  publishedNames(pattern: RegExp): string[] {
    return readdirSync(join(this.docroot, ".well-known", "tidemark"))
      .filter((name) => pattern.test(name))
      .sort();
  }

  /** Puts another package in the place of one, with its true length in the dump. */
  replacePackage(name: string, make: (before: Buffer) => Buffer): void {
    const file = this.#published(name);
    const after = make(readFileSync(file));
    writeFileSync(file, after);
    const dump = this.#published(`${name.split("-", 1)[0]}.xml`);
    const entry = new RegExp(`(${name}.*? length=)"\\d+"`);
    writeFileSync(dump, readFileSync(dump, "utf8").replace(entry, `$1"${after.length}"`));
  }

  #published(name: string): string {
    return join(this.docroot, ".well-known", "tidemark", name);
  }
}
