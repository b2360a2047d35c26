import type { EpochSeconds, Page } from "../../core/index.ts";
import { publishedFolder } from "../../formats/archive/index.ts";
import {
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  ResourceSyncWriter,
  resourceSyncPath,
} from "../../formats/resourcesync/index.ts";
import { formatLocation, isListable } from "../../formats/sitemap/index.ts";

/** Names of the documents that have one, in the published folder. */
export const listNames = {
  sitemap: "sitemap.xml",
  description: "description.xml",
  capabilityList: "capabilitylist.xml",
  resourceList: "resourcelist.xml",
  changeList: "changelist.xml",
  changeDump: "changedump.xml",
  resourceDump: "resourcedump.xml",
} as const;

/** Where a site's pages and lists stand on the web. */
export class ListSite {
  /** The site's origin without a slash at its end. */
  readonly base: string;
  readonly #home: string;

  /** @param site - the base URL: an origin with `/` */
  constructor(site: string) {
    this.base = site.slice(0, -1);
    this.#home = this.base + publishedFolder;
  }

  /** URL of a file of the published folder. */
  urlOf(name: string): string {
    return this.#home + name;
  }

  get description(): string {
    return this.base + resourceSyncPath;
  }

  get up(): ResourceSyncLink {
    return { rel: "up", href: this.urlOf(listNames.capabilityList) };
  }

  /** Whether a page can stand in lists; what cannot be is in the archives all the same. */
  lists(path: string): boolean {
    return isListable(this.base, path);
  }

  locationOf(path: string): string {
    return formatLocation(this.base, path);
  }

  entryOf({ path, lastModified, sizeBytes, mediaType }: Page): ResourceSyncEntry {
    const entry = { location: this.locationOf(path), lastModified, mediaType };
    return sizeBytes === undefined ? entry : { ...entry, sizeBytes };
  }
}

/** Writes a document that is known to fit. @throws RangeError if it does not */
export function renderList(header: ResourceSyncHeader, entries: Iterable<ResourceSyncEntry>): Buffer {
  const writer = new ResourceSyncWriter(header);
  const pieces: Uint8Array[] = [];
  for (const entry of entries) {
    if (!writer.add(entry)) throw new RangeError(`a ${header.capability} of too many entries`);
    if (writer.pendingBytes > 1 << 20) pieces.push(writer.take());
  }
  return Buffer.concat([...pieces, writer.end()]);
}

/** A day of UTC, as names carry it: `20261121`. */
export function formatDay(time: EpochSeconds): string {
  return new Date(time * 1000).toISOString().slice(0, 10).replaceAll("-", "");
}

/** A part's number, as names carry it. */
export function formatPart(number: number): string {
  return String(number).padStart(4, "0");
}
