import {
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  resourceSyncPath,
} from "../../src/formats/resourcesync/resource-sync.ts";
import { ResourceSyncReader } from "../../src/formats/resourcesync/resource-sync-reader.ts";
import { SitemapReader } from "../../src/formats/sitemap/sitemap-reader.ts";
import { check, getBytes, type PublishedSet } from "./published-set.ts";

interface ReadList {
  readonly header: ResourceSyncHeader;
  readonly entries: readonly ResourceSyncEntry[];
}

/** What sitemaps and ResourceSync of a site say at one moment. */
export interface PublishedStandards {
  /** URLs in the sitemaps. */
  readonly sitemap: ReadonlySet<string>;
  /** URLs in the resource list, and the sizes of their pages. */
  readonly resources: ReadonlyMap<string, number | undefined>;
  /** URLs to which the lists of changes lead from none; only those that changed since there are lists. */
  readonly lastChanges: ReadonlyMap<string, string | undefined>;
}

async function getSitemap(url: string): Promise<readonly { readonly location: string }[]> {
  const reader = new SitemapReader();
  const entries = [...reader.write(await getBytes(url)), ...reader.end()];
  check(reader.problem === undefined && reader.warningCount === 0, () => `${url}: ${reader.problem?.message}`);
  check(entries.length > 0, () => `${url} is empty`);
  return entries;
}

async function getList(url: string, capability: string): Promise<ReadList> {
  const reader = new ResourceSyncReader();
  const entries = [...reader.write(await getBytes(url)), ...reader.end()];
  const { header, problem, warningCount } = reader;
  check(header !== undefined && problem === undefined && warningCount === 0, () => `${url}: ${problem?.message}`);
  check(header.capability === capability, () => `${url} is a ${header.capability}`);
  return { header, entries };
}

async function getWhole(url: string, capability: string): Promise<readonly ResourceSyncEntry[]> {
  const list = await getList(url, capability);
  if (list.header.kind === "urlset") return list.entries;
  const entries: ResourceSyncEntry[] = [];
  for (const { location } of list.entries) entries.push(...(await getList(location, capability)).entries);
  return entries;
}

/**
 * Reads sitemaps and ResourceSync as somebody would who comes for the first time, from robots.txt and from the source
 * description. While they are written, each document is the old one or the new one, and all that are named are there.
 *
 * @throws BrokenSetError with the promise that is broken
 */
export async function readPublishedStandards(siteUrl: string): Promise<PublishedStandards> {
  const robots = (await getBytes(new URL("/robots.txt", siteUrl).href)).toString("latin1");
  const index = /^Sitemap: (\S+)$/m.exec(robots)?.[1];
  check(index !== undefined, () => "robots.txt names no sitemap");
  const sitemap = new Set<string>();
  for (const { location } of await getSitemap(index))
    for (const page of await getSitemap(location)) sitemap.add(page.location);
  const description = await getList(new URL(resourceSyncPath, siteUrl).href, "description");
  const capabilities = await getList(description.entries[0]?.location ?? "", "capabilitylist");
  const places = new Map(capabilities.entries.map(({ capability, location }) => [capability, location]));
  const resources = new Map<string, number | undefined>();
  for (const { location, sizeBytes } of await getWhole(places.get("resourcelist") ?? "", "resourcelist"))
    resources.set(location, sizeBytes);
  const lastChanges = new Map<string, string | undefined>();
  for (const { location, change } of await getWhole(places.get("changelist") ?? "", "changelist"))
    lastChanges.set(location, change);
  return { sitemap, resources, lastChanges };
}

/** Checks that sitemaps and ResourceSync say what the archives say. Nothing may be written meanwhile. */
export async function checkStandards(siteUrl: string, { pages }: PublishedSet): Promise<void> {
  const { sitemap, resources, lastChanges } = await readPublishedStandards(siteUrl);
  const urls = new Map([...pages.values()].map((page) => [siteUrl.slice(0, -1) + page.path, page]));
  for (const [url, page] of urls) {
    check(sitemap.has(url), () => `not in the sitemaps: ${url}`);
    check(resources.get(url) === page.sizeBytes, () => `not in the resource list as it is: ${url}`);
    check(lastChanges.get(url) !== "deleted", () => `deleted by the lists of changes, and there: ${url}`);
  }
  check(sitemap.size === urls.size, () => `${sitemap.size} pages in the sitemaps, ${urls.size} in the archives`);
  check(resources.size === urls.size, () => `${resources.size} pages in the resource list, not ${urls.size}`);
  for (const [url, change] of lastChanges)
    check(urls.has(url) === (change !== "deleted"), () => `${change} by the lists of changes, and is not so: ${url}`);
}
