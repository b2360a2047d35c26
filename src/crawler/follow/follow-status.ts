import type { EpochMs } from "../../core/index.ts";

/** Most sites in each list of a status. */
export const maxStatusRows = 100;
/** Longest text in a status, in characters. */
export const maxStatusText = 200;

/** Why no request is sent to a site that is being visited. */
export type VisitWait = "retry-after" | "back-off" | "crawl-delay" | "rest" | "shared-address";

/** A site that is being visited. */
export interface VisitingSite {
  readonly site: string;
  readonly sinceMs: EpochMs;
  readonly requests: number;
  readonly bytes: number;
  /** Pages created, updated and deleted. */
  readonly changes: number;
  /** Until when no request is sent to it, and why; absent if requests are sent. */
  readonly waitsUntilMs?: EpochMs;
  readonly why?: VisitWait;
}

/** A site whose last visits failed. */
export interface TroubledSite {
  readonly site: string;
  readonly failures: number;
  /** When the next visit is due; absent during a visit. */
  readonly nextMs?: EpochMs;
  /** When the current visit began; absent if there is none. */
  readonly isPaused?: true;
  /** The last failure; empty if it was before the follower started. */
  readonly message: string;
}

/** A site that waits for its next visit, or would if it were not paused. */
export interface WaitingSite {
  readonly site: string;
  readonly nextMs: EpochMs;
  readonly priority: number;
}

/** The status of a follower. */
export interface FollowStatus {
  readonly version: 1;
  readonly pid: number;
  readonly host: string;
  readonly startedMs: EpochMs;
  readonly writtenMs: EpochMs;
  /** Most concurrent requests to all sites. */
  readonly connections: number;
  readonly sites: number;
  /** Sites neither under way nor paused. */
  readonly waiting: number;
  /** Waiting sites that are due. */
  readonly due: number;
  /** Paused sites, including those whose visit is about to end, but not those no longer followed. */
  readonly underWay: number;
  /** Failing sites without those under way. */
  readonly paused: number;
  /**
   * Sites in back-off because visits failed, and sites under way that rest because they asked for it or are in trouble.
   */
  readonly backOff: number;
  /** Since the start, as all counters below. */
  readonly visits: number;
  readonly failedVisits: number;
  readonly requests: number;
  readonly bytes: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  /** The least that polling each known page in each finished visit would have cost, as `CrawlCosts.polling`. */
  readonly pollingRequests: number;
  /** The same less the actual cost of those visits; negative while sites are fetched for the first time. */
  readonly savedRequests: number;
  /** Over the last minute. */
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
  /** The longest visits first; at most {@link maxStatusRows}, as in the other lists. */
  readonly visiting: readonly VisitingSite[];
  /** The most failures first. */
  readonly troubled: readonly TroubledSite[];
  /** The next ones first. */
  readonly next: readonly WaitingSite[];
  readonly pausedSites: readonly WaitingSite[];
}

const counts = [
  ...["pid", "startedMs", "writtenMs", "connections", "sites", "waiting", "due", "underWay", "paused", "backOff"],
  ...["visits", "failedVisits", "requests", "bytes", "created", "updated", "deleted", "pollingRequests"],
  ...["requestsPerSecond", "bytesPerSecond"],
];
const waits: ReadonlySet<unknown> = new Set(["retry-after", "back-off", "crawl-delay", "rest", "shared-address"]);
/** The latest time that a date can represent. */
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
  // Whether an origin is canonical, so that it contains nothing special to a terminal or a metrics label.
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

/** A text on one line without control characters of terminals. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ").trim();
}

/** Parses a status; any process may have written it. @returns undefined if it is invalid */
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
