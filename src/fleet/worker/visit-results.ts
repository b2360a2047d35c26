import type { LeasedVisit } from "../../crawler/index.ts";
import { type FileChanges, type SiteFile, stateVersion } from "../../storage/index.ts";
import type { FleetEvent, FleetPage, NextVisit, SiteReading, SiteResults } from "../leases/site-leases.ts";

/** What was done in a visit so far. */
export interface VisitSoFar {
  /** Undefined where it goes on. */
  readonly visit: LeasedVisit | undefined;
  readonly next: NextVisit | undefined;
  readonly handed: SiteReading["handed"];
  /** URLs of other sites that are not stored yet. */
  readonly found: SiteResults["found"];
  /** The number of the last change of a page that is stored elsewhere. */
  readonly after: number;
}

/** What is to be stored elsewhere. */
export interface CollectedResults extends Pick<FileChanges, "settle"> {
  readonly results: SiteResults;
  /** The number of the last change of a page that it has. */
  readonly change: number;
}

/** Collects what a visit did to the state of its site; at its end, the state is closed. */
export function collectResults(file: SiteFile, { visit, next, handed, found, after }: VisitSoFar): CollectedResults {
  const pages: FleetPage[] = [];
  const gone: string[] = [];
  const events: FleetEvent[] = [];
  let change = after;
  for (const { number, change: seen } of file.changesAfter(after)) {
    change = number;
    const { path, kind, at, page } = seen;
    events.push({ path, kind, at });
    if (page === undefined) gone.push(path);
    else {
      const { sizeBytes: size, digest, lastModified: modified, mediaType } = page;
      pages.push({ path, size, digest, modified, mediaType, fetched: at });
    }
  }
  if (visit !== undefined) file[Symbol.dispose]();
  const { blocks, changed, settle } = file.changes();
  const results: SiteResults = {
    state: { version: stateVersion, blocks, changed },
    ...{ pages, gone, events, found, next },
    taken: visit === undefined ? [] : handed.map(({ id }) => id),
    visit: visit?.counts === undefined ? undefined : JSON.stringify(visit.counts),
  };
  return { results, change, settle };
}
