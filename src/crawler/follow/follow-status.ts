import { resolve } from "node:path";
import type { Clock, EpochMs } from "../../core/index.ts";
import {
  count,
  fields,
  lookAtStatus,
  mostNumber,
  noStatus,
  numberFrom,
  oneOf,
  optional,
  parseStatus,
  removeStatus,
  rows,
  type StatusLook,
  site,
  text,
  writeStatus,
} from "./status-file.ts";

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
  readonly isPaused?: true;
  /** When the last successful visit began; absent if none did. */
  readonly lastMs?: EpochMs;
  /** The last failure; empty if it was before the follower started. */
  readonly message: string;
}

/** A site that waits for its next visit, or would if it were not paused. */
export interface WaitingSite {
  readonly site: string;
  readonly nextMs: EpochMs;
  readonly priority: number;
  /** When the last successful visit began; absent if none did. */
  readonly lastMs?: EpochMs;
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
  /** Sites by the time since their last successful visit began: up to an hour, up to a day, longer, never. */
  readonly sitesByAge: { readonly hour: number; readonly day: number; readonly older: number; readonly never: number };
  /** Sites neither under way nor paused. */
  readonly waiting: number;
  /** Waiting sites that are due. */
  readonly due: number;
  /** Including sites whose visit is about to end after they were paused, but not those no longer followed. */
  readonly underWay: number;
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

const waitingRows = rows(fields({ site, nextMs: count, priority: count, lastMs: optional(count) }));

const statusForm = fields({
  ...{ version: oneOf(1), pid: count, host: text, startedMs: count, writtenMs: count, connections: count },
  ...{ sites: count, waiting: count, due: count, underWay: count, paused: count, backOff: count },
  sitesByAge: fields({ hour: count, day: count, older: count, never: count }),
  ...{ visits: count, failedVisits: count, requests: count, bytes: count },
  ...{ created: count, updated: count, deleted: count },
  ...{
    pollingRequests: count,
    savedRequests: numberFrom(-mostNumber),
    requestsPerSecond: count,
    bytesPerSecond: count,
  },
  visiting: rows(
    fields({
      ...{ site, sinceMs: count, requests: count, bytes: count, changes: count, waitsUntilMs: optional(count) },
      why: optional(oneOf("retry-after", "back-off", "crawl-delay", "rest", "shared-address")),
    }),
  ),
  troubled: rows(
    fields({
      ...{ site, failures: count, nextMs: optional(count), lastMs: optional(count) },
      ...{ isPaused: optional(oneOf(true)), message: text },
    }),
  ),
  next: waitingRows,
  pausedSites: waitingRows,
});

/** Parses a status; any process may have written it. @returns undefined if it is invalid */
export function parseFollowStatus(json: string): FollowStatus | undefined {
  return parseStatus(json, statusForm) as FollowStatus | undefined;
}

const statusName = "follow.json";

/** The last status of a follower. */
export type FollowLook = StatusLook<FollowStatus>;

export function writeFollowStatus(into: string, status: FollowStatus): void {
  writeStatus(into, statusName, status);
}

export function removeFollowStatus(into: string): void {
  removeStatus(into, statusName);
}

/**
 * Reads the status of the follower of a mirror folder. A dead follower is distinguished from a busy one by its process
 * and by the lock it holds.
 *
 * @throws TidemarkError `not-found` if no follower is running; `state-corrupt` if the file is not a follower's status;
 * `no-permission`, `io`
 */
export function readFollowStatus(folder: string, now: Clock): FollowLook {
  const into = resolve(folder);
  const { look, died } = lookAtStatus(into, statusName, parseFollowStatus, now);
  if (look === undefined)
    throw noStatus(`Nobody follows sites into ${into}.`, died, {
      into,
      hint: "Start `tidemark crawl --sites FILE --forever --into DIR`, or `--web SEEDS`, or name the folder that it was given.",
    });
  return look;
}
