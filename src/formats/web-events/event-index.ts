import { type EpochSeconds, formatCompactTime, ok, parseCompactTime, problem, type Result } from "../../core/index.ts";
import { type ArchiveEntry, formatEntryFields, parseSections } from "../archive/index.ts";
import { isCrawlerName } from "./share-control.ts";

const header = "tidemark-events 1";

/** Folder in the repository with the index and the archives of events. */
export const eventsFolder = "archives/";
/** The index's file name in {@link eventsFolder}. */
export const eventIndexName = "index.gz";
/** The field of `robots.shr` that names the index. */
export const eventIndexField = "x-tidemark-archives";
/** Field of `robots.shr`, repeatable: the web server of a crawler that this one merges. */
export const namedPeerField = "x-tidemark-peer";
/** The group in the name of an archive of events. */
export const eventGroup = "events";

/** An archive of events, in the index. */
export interface EventEntry extends ArchiveEntry {
  /** 0 for one publication; a merger of two intervals of a tier is of the next. */
  readonly tier: number;
  /** Whether its interval is not to be merged any more. */
  readonly isMerged: boolean;
}

/** The one mutable file of a share's archives. */
export interface EventIndex {
  /** The crawler that saw all of the events: `host:port moniker`. */
  readonly crawler: string;
  /** A cursor of another epoch is void. */
  readonly epoch: string;
  readonly publication: EpochSeconds;
  /** The oldest publication from which archives lead to the newest; 0 for the beginning. */
  readonly completeFrom: EpochSeconds;
  /** Newest intervals first; the archives of an interval in the order of their events. */
  readonly archives: readonly EventEntry[];
}

/** Writes the index. What {@link parseEventIndex} reads back is equal. */
export function formatEventIndex({ crawler, epoch, publication, completeFrom, archives }: EventIndex): string {
  const lines = archives.map(
    ({ tier, isMerged, ...entry }) => `${formatEntryFields(entry)}\t${tier}\t${isMerged ? "merged" : "-"}\n`,
  );
  return (
    `${header}\ncrawler\t${crawler}\nepoch\t${epoch}\npublication\t${formatCompactTime(publication)}\n` +
    `complete-from\t${formatCompactTime(completeFrom)}\n\n${lines.join("")}`
  );
}

/** Reads the index of a share's archives. Its times must agree with each other. */
export function parseEventIndex(content: Uint8Array): Result<EventIndex> {
  const sections = parseSections(content, header);
  if (!sections.ok) return sections;
  const { fields, entries, further } = sections.value;
  const [crawler = "", epoch = ""] = [fields.get("crawler"), fields.get("epoch")];
  const publication = parseCompactTime(fields.get("publication") ?? "");
  const completeFrom = parseCompactTime(fields.get("complete-from") ?? "");
  if (!isCrawlerName(crawler)) return problem("bad-field", "its crawler is not a host, a port and a name");
  if (!/^[0-9A-Za-z_-]{8,64}$/.test(epoch)) return problem("bad-epoch", "it has no epoch");
  if (publication === undefined || completeFrom === undefined || completeFrom > publication)
    return problem("bad-times", "its publication is not after its complete-from");
  if (entries.some(({ name: { from, to } }) => to > publication || from < completeFrom))
    return problem("bad-times", "an archive lies outside the interval that is complete");
  const archives = entries.map((entry, at): EventEntry => {
    const [tier = "", merged] = (further[at] ?? "").split("\t", 2);
    return { ...entry, tier: /^\d{1,3}$/.test(tier) ? Number(tier) : 0, isMerged: merged === "merged" };
  });
  return ok({ crawler, epoch, publication, completeFrom, archives });
}
