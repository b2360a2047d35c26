import { createHash } from "node:crypto";
import {
  formatSha256Hash,
  type ResourceSyncEntry,
  type ResourceSyncHeader,
} from "../../src/formats/resourcesync/resource-sync.ts";
import { ResourceSyncWriter } from "../../src/formats/resourcesync/resource-sync-writer.ts";
import type { SitemapKind } from "../../src/formats/sitemap/sitemap.ts";
import { formatLocation, SitemapWriter } from "../../src/formats/sitemap/sitemap.ts";

const origin = "https://www.example.org";
const folder = `${origin}/.well-known/tidemark/`;
const time = (iso: string): number => Date.parse(iso) / 1000;
const at = time("2026-11-22T02:00:00Z");
const dayBefore = time("2026-11-21T02:00:00Z");
const hash = (text: string): string => formatSha256Hash(createHash("sha256").update(text).digest());

/** A document of ResourceSync as values. */
export interface GoldenDocument {
  readonly header: ResourceSyncHeader;
  readonly entries: readonly ResourceSyncEntry[];
}

const up = { rel: "up", href: `${folder}capabilitylist.xml` };
const about = time("2026-07-04T09:30:00Z");

/** One document of each form, by the name of its fixture. */
export const goldenDocuments: Readonly<Record<string, GoldenDocument>> = {
  description: {
    header: { kind: "urlset", capability: "description", links: [] },
    entries: [{ location: up.href, capability: "capabilitylist" }],
  },
  "capability-list": {
    header: {
      kind: "urlset",
      capability: "capabilitylist",
      links: [{ rel: "up", href: `${origin}/.well-known/resourcesync` }],
    },
    entries: [
      { location: `${folder}resourcelist.xml`, capability: "resourcelist" },
      { location: `${folder}changelist.xml`, capability: "changelist" },
      { location: `${folder}changedump.xml`, capability: "changedump" },
      { location: `${folder}resourcedump.xml`, capability: "resourcedump" },
    ],
  },
  "resource-list": {
    header: {
      kind: "urlset",
      capability: "resourcelist",
      at,
      links: [up, { rel: "index", href: `${folder}resourcelist.xml` }],
    },
    entries: [
      {
        location: formatLocation(origin, "/a'b&c[1].html?x=1&y=|"),
        lastModified: 0,
        sizeBytes: 0,
        mediaType: "text/html",
      },
      {
        location: `${origin}/about.html`,
        lastModified: about,
        sizeBytes: 62,
        mediaType: "text/html",
        hash: hash("about"),
      },
    ],
  },
  "resource-list-index": {
    header: { kind: "sitemapindex", capability: "resourcelist", at, links: [up] },
    entries: [
      { location: `${folder}resourcelist-0001.xml`, lastModified: at, at },
      { location: `${folder}resourcelist-0002.xml`, lastModified: dayBefore, at: dayBefore },
    ],
  },
  "change-list-closed": {
    header: {
      kind: "urlset",
      capability: "changelist",
      from: dayBefore,
      until: at,
      links: [up, { rel: "index", href: `${folder}changelist.xml` }],
    },
    entries: [
      {
        location: `${origin}/new.html`,
        lastModified: about,
        change: "created",
        changedAt: dayBefore,
        sizeBytes: 9,
        mediaType: "text/html",
      },
      {
        location: `${origin}/about.html`,
        lastModified: at - 10,
        change: "updated",
        changedAt: at,
        sizeBytes: 62,
        mediaType: "text/html",
      },
      { location: `${origin}/new.html`, change: "deleted", changedAt: at },
    ],
  },
  "change-list-open": {
    header: { kind: "urlset", capability: "changelist", from: at, links: [up] },
    entries: [],
  },
  "change-list-index": {
    header: { kind: "sitemapindex", capability: "changelist", from: dayBefore, links: [up] },
    entries: [
      { location: `${folder}changelist-20261121.xml`, from: dayBefore, until: at },
      { location: `${folder}changelist-20261122.xml`, from: at },
    ],
  },
  "change-dump": {
    header: { kind: "urlset", capability: "changedump", from: dayBefore, links: [up] },
    entries: [
      {
        location: `${folder}changedump-20261121.zip`,
        lastModified: at,
        from: dayBefore,
        until: at,
        sizeBytes: 1234,
        mediaType: "application/zip",
        links: [{ rel: "contents", href: `${folder}changedump-20261121.xml`, mediaType: "application/xml" }],
      },
    ],
  },
  "change-dump-manifest": {
    header: { kind: "urlset", capability: "changedump-manifest", from: dayBefore, until: at, links: [up] },
    entries: [
      {
        location: `${origin}/about.html`,
        lastModified: at - 10,
        change: "updated",
        changedAt: at,
        hash: hash("about"),
        sizeBytes: 62,
        mediaType: "text/html",
        path: "/resources/about.html",
      },
      { location: `${origin}/new.html`, change: "deleted", changedAt: at },
    ],
  },
  "resource-dump": {
    header: { kind: "urlset", capability: "resourcedump", at, completed: at + 60, links: [up] },
    entries: [
      {
        location: `${folder}resourcedump-0001.zip`,
        at,
        completed: at + 60,
        sizeBytes: 99,
        mediaType: "application/zip",
      },
    ],
  },
  "resource-dump-manifest": {
    header: { kind: "urlset", capability: "resourcedump-manifest", at, links: [up] },
    entries: [
      {
        location: `${origin}/about.html`,
        lastModified: about,
        sizeBytes: 62,
        mediaType: "text/html",
        path: "/resources/about.html",
      },
    ],
  },
};

/** Writes a document whole. */
export function writeDocument({ header, entries }: GoldenDocument): Uint8Array {
  const writer = new ResourceSyncWriter(header);
  for (const entry of entries) if (!writer.add(entry)) throw new Error("it is full");
  return writer.end();
}

/** Writes a sitemap whole. */
export function writeSitemap(
  kind: SitemapKind,
  base: string,
  pages: Iterable<readonly [string, number]>,
): Uint8Array | undefined {
  const writer = new SitemapWriter(kind, base);
  for (const [path, lastModified] of pages) if (!writer.add(path, lastModified)) throw new Error("it is full");
  return writer.end();
}

/** Every file of `fixtures/sitemap/v1` and `fixtures/resourcesync/v1`, by its path in `fixtures`. */
export function buildGoldenStandards(): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const sitemaps: ReadonlyArray<readonly [SitemapKind, ReadonlyArray<readonly [string, number]>]> = [
    [
      "urlset",
      [
        ["/a'b&c[1].html?x=1&y=|", 0],
        ["/about.html", about],
        ["/index.html", at],
      ],
    ],
    [
      "sitemapindex",
      [
        ["/sitemap-8a5edab282632443.xml", at],
        ["/sitemap-b3b0d0a7b0b6e1f1.xml", dayBefore],
      ],
    ],
  ];
  for (const [kind, pages] of sitemaps) {
    const bytes = writeSitemap(kind, origin, pages);
    if (bytes !== undefined) files.set(`sitemap/v1/${kind}.xml`, bytes);
  }
  for (const [name, document] of Object.entries(goldenDocuments))
    files.set(`resourcesync/v1/${name}.xml`, writeDocument(document));
  return files;
}
