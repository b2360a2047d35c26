import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { type Change, composeChanges, pathOf } from "../../../src/core/change.ts";
import type { Page } from "../../../src/core/page.ts";
import { compareChangesByPath, formatArchive, formatChangeLine } from "../../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  formatArchiveIndex,
  formatBaseList,
  publishedFolder,
} from "../../../src/formats/archive/archive-index.ts";
import { formatArchiveName, groupOfMediaType, otherGroup } from "../../../src/formats/archive/archive-name.ts";
import { formatRobotsBlock } from "../../../src/formats/robots/robots-block.ts";

/** A page of the site, as it is served. */
export interface SitePage {
  readonly body: string | Uint8Array;
  readonly mediaType: string;
  readonly lastModified: number;
}

/** A request that the site was sent. */
export interface SeenRequest {
  readonly path: string;
  readonly status: number;
  readonly conditional: boolean;
  readonly cacheControl: string | undefined;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Interval {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly Change[];
}

const hashOf = (content: string | Uint8Array): Buffer => createHash("sha256").update(content).digest();

function mediaTypeOf(path: string): string {
  if (path.endsWith(".css")) return "text/css";
  if (path.endsWith(".png")) return "image/png";
  return "text/html";
}

/** The record of a page. */
export function recordOf(path: string, { body, mediaType, lastModified }: SitePage): Page {
  const bytes = Buffer.from(body);
  const digest = hashOf(bytes).subarray(0, 8).toString("base64url");
  return { path, sizeBytes: bytes.length, lastModified, mediaType, digest };
}

/**
 * A site on a real loopback server that publishes archives, made with the format's own functions.
 * Each publication is an interval; what tests need to go wrong is put in with `answers`.
 */
export class PublishedSite {
  readonly pages: Map<string, SitePage> = new Map();
  /** Published files: robots.txt, index and archives. */
  readonly files: Map<string, Buffer> = new Map();
  /** Answers that stand before pages and files; return without one to let the page be served. */
  readonly answers: Map<string, Answer> = new Map();
  readonly seen: SeenRequest[] = [];
  /** Stands before everything: serves now, later, or answers by itself. */
  around: (response: ServerResponse, serve: () => void) => void = (_, serve) => serve();
  epoch = "epoch-000001";
  /** Text of robots.txt before the block. */
  robots = "";
  /** Intervals made of several publications, beside those of each one. */
  readonly merged: [from: number, to: number][] = [];
  /** Changes an archive's lines before it is written, to make archives that agree with their names and are wrong. */
  distort: (lines: string[], to: number) => string[] = (lines) => lines;
  /** Likewise for the base's list. */
  distortList: (list: string) => string = (list) => list;
  #intervals: Interval[] = [];
  #base: { publication: number; pages: Map<string, Page> } = { publication: 0, pages: new Map() };
  #publication = 1_700_000_000;
  readonly #server = createServer((request, response) => this.around(response, () => this.#serve(request, response)));
  origin = "";

  static async open(host = "127.0.0.1"): Promise<PublishedSite> {
    const site = new PublishedSite();
    await new Promise<void>((resolve) => site.#server.listen(0, host, resolve));
    site.origin = `http://${host}:${(site.#server.address() as AddressInfo).port}`;
    return site;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get publication(): number {
    return this.#publication;
  }

  /** Sets pages; a body of undefined removes the page. */
  set(
    bodies: Readonly<Record<string, string | Uint8Array | undefined>>,
    lastModified: number = this.#publication,
  ): void {
    for (const [path, body] of Object.entries(bodies)) {
      if (body === undefined) this.pages.delete(path);
      else this.pages.set(path, { body, mediaType: mediaTypeOf(path), lastModified });
    }
  }

  /** Publishes the whole site as a new base, without a chain to it. */
  publishBase(): void {
    this.#publication += 86_400;
    this.#base = { publication: this.#publication, pages: this.#records() };
    this.#intervals = [];
    this.write();
  }

  /** Makes a base of what is published; the intervals before it stay. */
  rebase(): void {
    this.#base = { publication: this.#publication, pages: this.listed() };
    this.write();
  }

  /** Publishes what changed since the last publication as an interval of its own. */
  publish(): void {
    const from = this.#publication;
    this.#publication += 86_400;
    const before = this.listed();
    const now = this.#records();
    const changes: Change[] = [];
    for (const [path, page] of now) {
      const old = before.get(path);
      if (old === undefined) changes.push({ kind: "created", page });
      else if (old.digest !== page.digest) changes.push({ kind: "updated", page });
    }
    for (const path of before.keys()) if (!now.has(path)) changes.push({ kind: "deleted", path });
    this.#intervals.push({ from, to: this.#publication, changes });
    this.write();
  }

  /** The pages that the newest publication says the site has. */
  listed(): Map<string, Page> {
    const pages = new Map(this.#base.pages);
    for (const { from, changes } of this.#intervals)
      for (const change of from < this.#base.publication ? [] : changes)
        if (change.kind === "deleted") pages.delete(change.path);
        else pages.set(change.page.path, change.page);
    return pages;
  }

  /** Writes the published files anew. */
  write(): void {
    const base = this.#base;
    const times = [...new Set([...base.pages.values()].map(({ lastModified }) => lastModified))].sort((x, y) => y - x);
    const baseEntries = times.flatMap((time) => {
      const pages = [...base.pages.values()].filter(({ lastModified }) => lastModified === time);
      return this.#writeArchives(
        time - 1,
        time,
        pages.map((page) => ({ kind: "created", page })),
      );
    });
    const list = this.distortList(
      formatBaseList({ publication: base.publication, pages: base.pages.size, archives: baseEntries }),
    );
    const baseEntry = this.#writeFile({ from: 0, to: base.publication, group: "base" }, list, base.pages.size);
    const archives = this.#allIntervals().flatMap(({ from, to, changes }) => this.#writeArchives(from, to, changes));
    const index = formatArchiveIndex({
      site: `${this.origin}/`,
      epoch: this.epoch,
      publication: this.#publication,
      pages: this.listed().size,
      completeFrom: Math.min(base.publication, ...this.#intervals.map(({ from }) => from)),
      base: baseEntry,
      archives: archives.reverse(),
    });
    this.files.set(`${publishedFolder}index.gz`, gzipSync(index));
    const block = formatRobotsBlock({ indexUrl: `${this.origin}${publishedFolder}index.gz`, archiveUrls: [] });
    this.files.set("/robots.txt", Buffer.from(this.robots + block));
  }

  /** Requests since the last call, as `status path`. */
  takeRequests(): string[] {
    return this.seen.splice(0).map(({ path, status }) => `${status} ${path}`);
  }

  /** Paths of published archives, base lists left out, whose interval begins at a time. */
  archivesFrom(from: number): string[] {
    const compact = from === 0 ? "0" : new Date(from * 1000).toISOString().replaceAll(/[-:]|\.000/g, "");
    return [...this.files.keys()].filter(
      (path) => path.startsWith(`${publishedFolder}${compact}_`) && !path.includes(".base."),
    );
  }

  #records(): Map<string, Page> {
    return new Map([...this.pages].map(([path, page]) => [path, recordOf(path, page)]));
  }

  #allIntervals(): Interval[] {
    const merged = this.merged.map(([from, to]): Interval => {
      const byPath = new Map<string, Change>();
      for (const interval of this.#intervals)
        if (interval.from >= from && interval.to <= to)
          for (const change of interval.changes) {
            const earlier = byPath.get(pathOf(change));
            byPath.set(pathOf(change), earlier === undefined ? change : composeChanges(earlier, change));
          }
      return { from, to, changes: [...byPath.values()] };
    });
    return [...this.#intervals, ...merged];
  }

  #writeArchives(from: number, to: number, changes: readonly Change[]): ArchiveEntry[] {
    const groups = new Map<string, Change[]>();
    for (const change of [...changes].sort(compareChangesByPath)) {
      const group = change.kind === "deleted" ? otherGroup : groupOfMediaType(change.page.mediaType);
      const members = groups.get(group);
      if (members === undefined) groups.set(group, [change]);
      else members.push(change);
    }
    return [...groups].map(([group, members]) =>
      this.#writeFile(
        { from, to, group },
        formatArchive(this.distort(members.map(formatChangeLine), to)),
        members.length,
      ),
    );
  }

  #writeFile(interval: { from: number; to: number; group: string }, content: string, changes: number): ArchiveEntry {
    const name = { ...interval, id: hashOf(content).toString("hex").slice(0, 16) };
    const bytes = gzipSync(content);
    this.files.set(publishedFolder + formatArchiveName(name), bytes);
    return { name, changes, sizeBytes: bytes.length };
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    response.once("finish", () => this.#note(request, response.statusCode));
    this.answers.get(path)?.(request, response);
    if (response.writableEnded || response.headersSent || response.destroyed) return;
    const page = this.pages.get(path);
    const body = this.files.get(path) ?? (page === undefined ? undefined : Buffer.from(page.body));
    if (body === undefined) {
      response.writeHead(404).end("not here");
      return;
    }
    const etag = `"${hashOf(body).toString("hex").slice(0, 12)}"`;
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    const type = page === undefined ? {} : { "content-type": page.mediaType };
    response.writeHead(200, { etag, "content-length": body.length, ...type }).end(body);
  }

  #note(request: IncomingMessage, status: number): void {
    this.seen.push({
      path: request.url ?? "",
      status,
      conditional: request.headers["if-none-match"] !== undefined,
      cacheControl: request.headers["cache-control"],
    });
  }
}
