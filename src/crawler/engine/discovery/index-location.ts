import { excerpt, parseUrl } from "../../../core/index.ts";
import { indexFileName, publishedFolder } from "../../../formats/archive/index.ts";
import { type Robots, robotsAllow } from "../../../formats/robots/index.ts";
import { type ReadingVisit, warn } from "../visit/reading-visit.ts";

/** Where an index may be. */
export interface IndexLocation {
  /** Path of the index on the site's own origin. */
  readonly path: string;
  /** Folder of the index, and so of its archives; ends with `/`. */
  readonly folder: string;
  /** Whether robots.txt names it; otherwise it is looked for where it usually is. */
  readonly announced: boolean;
}

function locationOf(path: string, announced: boolean): IndexLocation {
  return { path, folder: path.slice(0, path.lastIndexOf("/") + 1), announced };
}

/**
 * Finds the index: where robots.txt says, else at the well-known place.
 *
 * @returns undefined if robots.txt names none and forbids looking at the well-known place
 */
export function locateIndex(visit: ReadingVisit, robots: Robots): IndexLocation | undefined {
  for (const text of robots.archiveIndexes) {
    const url = parseUrl(text, visit.origin);
    if (url?.origin === visit.origin) return locationOf(url.pathname, true);
    warn(
      visit,
      "foreign-index",
      `robots.txt names an index that is not on this site: ${excerpt(text)}. It is ignored.`,
    );
  }
  const path = publishedFolder + indexFileName;
  return robotsAllow(robots, visit.agent, path) ? locationOf(path, false) : undefined;
}
