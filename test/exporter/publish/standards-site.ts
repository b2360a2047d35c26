import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "../../../src/core/page.ts";
import type { ResourceSyncEntry, ResourceSyncHeader } from "../../../src/formats/resourcesync/resource-sync.ts";
import { ResourceSyncReader } from "../../../src/formats/resourcesync/resource-sync-reader.ts";
import type { SitemapEntry } from "../../../src/formats/sitemap/sitemap-document.ts";
import { SitemapReader } from "../../../src/formats/sitemap/sitemap-reader.ts";
import { PublishedReader } from "./published-reader.ts";

const origin = "https://example.org";

/** A document of ResourceSync as it is published. */
export interface ReadDocument {
  readonly header: ResourceSyncHeader;
  readonly entries: readonly ResourceSyncEntry[];
}

/** Where a site and its published files lie. */
export interface PublishedPlace {
  readonly docroot: string;
  readonly publishedFolder: string;
}

/** Reads the sitemaps and documents of ResourceSync of a site, from the file system. */
export class StandardsReader {
  readonly #site: PublishedPlace;

  constructor(site: PublishedPlace) {
    this.#site = site;
  }

  #bytesAt(url: string): Buffer {
    assert.ok(url.startsWith(`${origin}/`), url);
    return readFileSync(join(this.#site.docroot, url.slice(origin.length)));
  }

  /** Reads a sitemap or an index by its URL. */
  sitemap(url: string): readonly SitemapEntry[] {
    const reader = new SitemapReader();
    const entries = [...reader.write(this.#bytesAt(url)), ...reader.end()];
    assert.deepEqual([reader.problem, reader.warningCount], [undefined, 0], url);
    return entries;
  }

  /** Reads a document by its URL. */
  document(url: string): ReadDocument {
    const reader = new ResourceSyncReader();
    const entries = [...reader.write(this.#bytesAt(url)), ...reader.end()];
    assert.deepEqual([reader.problem, reader.warningCount], [undefined, 0], url);
    assert.ok(reader.header !== undefined);
    return { header: reader.header, entries };
  }

  /** URL of the sitemap index that robots.txt names. */
  get sitemapUrl(): string | undefined {
    return /^Sitemap: (\S+)$/m.exec(readFileSync(join(this.#site.docroot, "robots.txt"), "latin1"))?.[1];
  }

  /** Last-modified of each page in the sitemaps, by path; each stands in one only. */
  sitemapPages(): Map<string, number | undefined> {
    const pages = new Map<string, number | undefined>();
    if (this.sitemapUrl === undefined) return pages;
    for (const shard of this.sitemap(this.sitemapUrl)) {
      let newest = 0;
      for (const { location, lastModified } of this.sitemap(shard.location)) {
        assert.ok(!pages.has(location), location);
        pages.set(location, lastModified);
        newest = Math.max(newest, lastModified ?? 0);
      }
      assert.equal(shard.lastModified, newest, "of the newest page in it");
    }
    return pages;
  }

  /** URLs of all pages in the sitemaps, while these are written. */
  sitemapLocations(): Set<string> {
    const index = this.sitemapUrl;
    const sitemaps = index === undefined ? [] : this.sitemap(index);
    return new Set(sitemaps.flatMap((sitemap) => this.sitemap(sitemap.location)).map((page) => page.location));
  }

  /** URLs of all pages in the resource list, while it is written; undefined if there is none. */
  resourceLocations(): Set<string> | undefined {
    if (!existsSync(join(this.#site.publishedFolder, "resourcelist.xml"))) return undefined;
    const list = this.document(`${origin}/.well-known/tidemark/resourcelist.xml`);
    const parts = list.header.kind === "urlset" ? [list] : list.entries.map(({ location }) => this.document(location));
    return new Set(parts.flatMap(({ entries }) => entries).map((page) => page.location));
  }

  /** What the capability list names, by capability. */
  capabilities(): Map<string, string> {
    const description = this.document(`${origin}/.well-known/resourcesync`);
    assert.equal(description.entries.length, 1);
    const list = this.document(description.entries[0]?.location ?? "");
    return new Map(list.entries.map(({ capability, location }) => [capability ?? "", location]));
  }

  /** The resource list, its index followed. */
  resources(): ReadDocument {
    const list = this.document(this.capabilities().get("resourcelist") ?? "");
    if (list.header.kind === "urlset") return list;
    return { header: list.header, entries: list.entries.flatMap(({ location }) => this.document(location).entries) };
  }

  /** The lists of changes, oldest first. */
  changeLists(): readonly ReadDocument[] {
    const index = this.document(this.capabilities().get("changelist") ?? "");
    return index.entries.map(({ location, from, until }) => {
      const list = this.document(location);
      assert.deepEqual([list.header.from, list.header.until], [from, until], location);
      return list;
    });
  }

  /** URLs that lists of changes lead to from those that were held at an earlier time, sorted. */
  follow(held: ReadonlySet<string>, at: number): string[] {
    const followed = new Set(held);
    for (const { location, change, changedAt = 0 } of this.changeLists().flatMap(({ entries }) => entries)) {
      if (changedAt <= at) continue;
      if (change === "deleted") followed.delete(location);
      else followed.add(location);
    }
    return [...followed].sort();
  }

  /** Whether what has a URL is there. */
  isThere(url: string): boolean {
    return existsSync(join(this.#site.docroot, url.slice(origin.length)));
  }

  /** Names of the documents in the published folder. */
  names(): string[] {
    return readdirSync(this.#site.publishedFolder)
      .filter((name) => /\.(?:xml|zip)$/.test(name))
      .sort();
  }
}

/** A site of a test, and what a newcomer holds of it. */
export interface HeldSite extends PublishedPlace {
  hold(): ReadonlyMap<string, Page>;
}

/** Checks that sitemaps and resource list are what the archives say. */
export function checkAgreement(site: HeldSite): void {
  const reader = new StandardsReader(site);
  const pages = [...site.hold().values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  assert.deepEqual(
    [...reader.sitemapPages()],
    pages.map((page) => [origin + page.path, page.lastModified]),
  );
  const { header, entries } = reader.resources();
  assert.deepEqual(
    entries,
    pages.map(({ path, lastModified, sizeBytes, mediaType }) => ({
      location: origin + path,
      lastModified,
      sizeBytes,
      mediaType,
    })),
  );
  assert.equal(header.at, new PublishedReader(site.docroot).index.publication);
  const lists = reader.changeLists();
  for (const [at, { header: list }] of lists.entries())
    assert.equal(list.until, lists[at + 1]?.header.from, "no moment is in no list, and the last one is open");
  // What each page's last line of change leads to is how it is.
  const last = new Map(
    lists.flatMap((list) => list.entries.map(({ location, change }) => [location, change] as const)),
  );
  const there = new Set(entries.map(({ location }) => location));
  for (const [location, change] of last) assert.equal(change !== "deleted", there.has(location), location);
  for (const [capability, url] of reader.capabilities())
    if (capability.endsWith("dump"))
      for (const { location } of reader.document(url).entries) assert.ok(reader.isThere(location), location);
}
