import type { EpochSeconds } from "../../../src/core/index.ts";
import {
  type EventArchive,
  eventArchiveHeader,
  type SiteEvent,
  writeEventLine,
  writeSiteLine,
} from "../../../src/formats/web-events/index.ts";
import { ByteText } from "../../../src/fs/byte-text.ts";

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

/** The bytes of an archive. @param to - end of its interval */
export function writeArchive(sites: readonly SiteEvents[], to: EpochSeconds): Buffer {
  const text = new ByteText();
  text.put(`${eventArchiveHeader}\n`);
  for (const { origin, events } of sites) {
    writeSiteLine(text, origin);
    for (const event of events) writeEventLine(text, event, to);
  }
  return Buffer.from(text.bytes.subarray(0, text.length));
}
