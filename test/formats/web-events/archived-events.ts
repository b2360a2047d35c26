import type { EventArchive, SiteEvent } from "../../../src/formats/web-events/index.ts";

/** The events of one site, in path order. */
export interface SiteEvents {
  readonly origin: string;
  readonly events: readonly SiteEvent[];
}

/** All that an archive has, as objects. */
export function sitesOf(archive: EventArchive): SiteEvents[] {
  return archive.sites.map(({ origin, from, to }) => ({
    origin,
    events: Array.from({ length: to - from }, (_, at) => archive.eventAt(from + at)),
  }));
}
