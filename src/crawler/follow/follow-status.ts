import type { EpochMs } from "../../core/index.ts";

/** How many sites each list of a status has at most. */
export const maxStatusRows = 100;
/** Longest text of a status, in characters. */
export const maxStatusText = 200;

/** Why nothing is asked of a site that is being visited. */
export type VisitWait = "retry-after" | "back-off" | "crawl-delay" | "rest" | "shared-address";

/** A site that is being visited. */
export interface VisitingSite {
  readonly site: string;
  readonly sinceMs: EpochMs;
  readonly requests: number;
  readonly bytes: number;
  /** Pages created, updated and deleted. */
  readonly changes: number;
  /** Until when nothing is asked of it, and why; absent if it is asked. */
  readonly waitsUntilMs?: EpochMs;
  readonly why?: VisitWait;
}

/** A site whose last visits were in vain. */
export interface TroubledSite {
  readonly site: string;
  readonly failures: number;
  /** Absent while it is visited. */
  readonly nextMs?: EpochMs;
  /** Absent if it is not. */
  readonly isPaused?: true;
  /** What happened; empty if it was before the follower began. */
  readonly message: string;
}

/** A site that waits, or would if it were not paused. */
export interface WaitingSite {
  readonly site: string;
  readonly nextMs: EpochMs;
  readonly priority: number;
}

/** How somebody who follows many sites is doing. */
export interface FollowStatus {
  readonly version: 1;
  readonly pid: number;
  readonly host: string;
  readonly startedMs: EpochMs;
  readonly writtenMs: EpochMs;
  /** Requests to all sites that may be under way at once. */
  readonly connections: number;
  readonly sites: number;
  /** Neither under way nor paused. */
  readonly waiting: number;
  /** Of those that wait, those whose time has come. */
  readonly due: number;
  /** Paused ones too, whose visits are about to end; not those that are followed no more. */
  readonly underWay: number;
  /** Without those under way. */
  readonly paused: number;
  /** Tried again later because visits were in vain, or left alone in a visit because they asked for it or are in trouble. */
  readonly backOff: number;
  /** Since the start, as all that follows. */
  readonly visits: number;
  readonly failedVisits: number;
  readonly requests: number;
  readonly bytes: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** What polling each known page in each visit that has ended would have taken at least, as `CrawlCosts.polling`. */
  readonly pollingRequests: number;
  /** That less what those visits took; less than 0 while sites are fetched for the first time. */
  readonly savedRequests: number;
  /** Over the last minute. */
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
  /** Those visited longest first; at most {@link maxStatusRows}, as the others. */
  readonly visiting: readonly VisitingSite[];
  /** Those with the most failures first. */
  readonly troubled: readonly TroubledSite[];
  /** Those that come next first. */
  readonly next: readonly WaitingSite[];
  readonly pausedSites: readonly WaitingSite[];
}

const counts = [
  ...["pid", "startedMs", "writtenMs", "connections", "sites", "waiting", "due", "underWay", "paused", "backOff"],
  ...["visits", "failedVisits", "requests", "bytes", "created", "updated", "deleted", "pollingRequests"],
  ...["requestsPerSecond", "bytesPerSecond"],
];
const waits: ReadonlySet<unknown> = new Set(["retry-after", "back-off", "crawl-delay", "rest", "shared-address"]);
/** The latest time that a date can have. */
const mostNumber = 8.64e15;

type Fields = Readonly<Record<string, unknown>>;

class Malformed extends Error {}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Malformed();
  return value as Fields;
}

function numberOf(value: unknown, least = 0): number {
  if (typeof value !== "number" || !(value >= least && value <= mostNumber)) throw new Malformed();
  return value;
}

function optionalNumber<Name extends string>(fields: Fields, name: Name): { [key in Name]?: number } {
  return fields[name] === undefined ? {} : ({ [name]: numberOf(fields[name]) } as { [key in Name]?: number });
}

function textOf(value: unknown): string {
  if (typeof value !== "string" || value.length > maxStatusText) throw new Malformed();
  return plainText(value);
}

function siteOf(value: unknown): string {
  // Origins as they are compared: nothing that a terminal or a label would take otherwise.
  if (typeof value !== "string" || value.length > 300 || !/^https?:\/\/[\w.:[\]-]+$/.test(value)) throw new Malformed();
  return value;
}

function rowsOf<Row>(value: unknown, read: (fields: Fields) => Row): Row[] {
  if (!Array.isArray(value) || value.length > maxStatusRows) throw new Malformed();
  return value.map((row) => read(fieldsOf(row)));
}

function readVisiting(row: Fields): VisitingSite {
  const { why } = row;
  if (why !== undefined && !waits.has(why)) throw new Malformed();
  return {
    site: siteOf(row.site),
    sinceMs: numberOf(row.sinceMs),
    requests: numberOf(row.requests),
    bytes: numberOf(row.bytes),
    changes: numberOf(row.changes),
    ...optionalNumber(row, "waitsUntilMs"),
    ...(why === undefined ? {} : { why: why as VisitWait }),
  };
}

function readTroubled(row: Fields): TroubledSite {
  const { site, failures, message, isPaused } = row;
  if (isPaused !== undefined && isPaused !== true) throw new Malformed();
  return {
    site: siteOf(site),
    failures: numberOf(failures),
    ...optionalNumber(row, "nextMs"),
    ...(isPaused === undefined ? {} : { isPaused }),
    message: textOf(message),
  };
}

function readWaiting({ site, nextMs, priority }: Fields): WaitingSite {
  return { site: siteOf(site), nextMs: numberOf(nextMs), priority: numberOf(priority) };
}

/** A text without what a terminal would take for commands, on one line. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
}

/** Reads a status, which anybody may have written. @returns undefined if it is none */
export function parseFollowStatus(text: string): FollowStatus | undefined {
  try {
    const fields = fieldsOf(JSON.parse(text));
    if (fields.version !== 1) return undefined;
    const numbers = Object.fromEntries(counts.map((name) => [name, numberOf(fields[name])]));
    return {
      ...(numbers as unknown as FollowStatus),
      version: 1,
      host: textOf(fields.host),
      savedRequests: numberOf(fields.savedRequests, -mostNumber),
      visiting: rowsOf(fields.visiting, readVisiting),
      troubled: rowsOf(fields.troubled, readTroubled),
      next: rowsOf(fields.next, readWaiting),
      pausedSites: rowsOf(fields.pausedSites, readWaiting),
    };
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
