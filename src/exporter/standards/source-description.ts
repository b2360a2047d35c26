import { readFile, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { type ExportEvent, TidemarkError } from "../../core/index.ts";
import { resourceSyncPath } from "../../formats/resourcesync/index.ts";
import { createDurably, shownPath } from "../../fs/index.ts";
import { type ListSite, listNames, renderList } from "./site-lists.ts";

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
