import { readFile, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { type EpochSeconds, type ExportEvent, type Page, TidemarkError } from "../../core/index.ts";
import { publishedFolder } from "../../formats/archive/index.ts";
import {
  type ResourceSyncEntry,
  type ResourceSyncHeader,
  type ResourceSyncLink,
  ResourceSyncWriter,
  resourceSyncPath,
} from "../../formats/resourcesync/index.ts";
import { formatLocation, isListable } from "../../formats/sitemap/index.ts";

import { createDurably, shownPath } from "../../fs/index.ts";

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

/** The bytes of a site's source description, which are always the same. */
export function renderDescription(site: ListSite): Buffer {
  const header = { kind: "urlset", capability: "description", links: [] } as const;
  return renderList(header, [{ location: site.urlOf(listNames.capabilityList), capability: "capabilitylist" }]);
}

/**
 * Makes the source description be where readers look for it. A file that is there and not ours is left alone.
 *
 * @param wellKnown - the folder of well-known names, not the published one: that may be the only one that we may write
 * @returns bytes written
 */
export async function placeDescription(
  wellKnown: string,
  site: ListSite,
  onEvent: (event: ExportEvent) => void,
): Promise<number> {
  const path = join(wellKnown, posix.basename(resourceSyncPath));
  const bytes = renderDescription(site);
  const there = await readFile(path).catch((error: NodeJS.ErrnoException) => error);
  if (!(there instanceof Error)) {
    // A description may name several sets of pages.
    if (there.includes(site.urlOf(listNames.capabilityList))) return 0;
  } else if (there.code === "ENOENT") {
    try {
      if (await createDurably(path, bytes)) return bytes.length;
    } catch (error) {
      if (!(error instanceof TidemarkError && (error.code === "no-permission" || error.code === "read-only")))
        throw error;
      const shown = shownPath(path);
      const message = `${shown} cannot be written, and readers of ResourceSync look there. Run once: ln -s tidemark/${listNames.description} ${shown}`;
      onEvent({ event: "warning", code: "resourcesync-unlinked", message, path: resourceSyncPath });
      return 0;
    }
  }
  const message = `${shownPath(path)} is not of Tidemark and does not name ${site.urlOf(listNames.capabilityList)}. Add it there, or move the file away.`;
  onEvent({ event: "warning", code: "resourcesync-not-ours", message, path: resourceSyncPath });
  return 0;
}

/** Removes the source description if it is the one that was placed. */
export async function removeDescription(wellKnown: string, site: ListSite): Promise<void> {
  const path = join(wellKnown, posix.basename(resourceSyncPath));
  const there = await readFile(path).catch(() => undefined);
  // Where it may not be removed it leads to nothing, as it does once the folder is gone.
  if (there?.equals(renderDescription(site)) === true) await rm(path, { force: true }).catch(() => undefined);
}
