import { hostname } from "node:os";
import { resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import { type FollowLook, readFollowStatus } from "../follow/follow-status.ts";
import {
  count,
  fields,
  lookAtStatus,
  noStatus,
  oneOf,
  optional,
  parseStatus,
  removeStatus,
  type StatusLook,
  text,
  writeStatus,
} from "../follow/status-file.ts";
import { heldBackReasons, type WebCounts, type WebProgress } from "./web-options.ts";

/** The status of a crawl of the Web. */
export interface WebStatus extends WebCounts {
  readonly version: 1;
  readonly pid: number;
  readonly host: string;
  readonly startedMs: EpochMs;
  readonly writtenMs: EpochMs;
  /** Sites that are being requested. */
  readonly open: number;
  /** Over the last minute. */
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
}

const statusName = "web-status.json";
const minuteMs = 60_000;

const statusForm = fields({
  ...{ version: oneOf(1), pid: count, host: text, startedMs: count, writtenMs: count, open: count },
  ...{ requestsPerSecond: count, bytesPerSecond: count, elapsedMs: count },
  ...{ sites: count, unresolvedSites: count, unreachableSites: count, urls: count, waiting: count, done: count },
  heldBack: fields(Object.fromEntries(heldBackReasons.map((reason) => [reason, optional(count)]))),
  ...{ knownSites: count, visits: count, newRequests: count, knownRequests: count, changed: count },
  ...{ newShare: optional(count), pages: count, failed: count, requests: count, bytes: count, links: count },
});

/** Parses a status; any process may have written it. @returns undefined if it is invalid */
function parseWebStatus(json: string): WebStatus | undefined {
  return parseStatus(json, statusForm) as WebStatus | undefined;
}

/** Writes the status of a crawl for as long as it runs. */
export class WebStatusFile implements Disposable {
  readonly #into: string;
  readonly #clock: Clock;
  readonly #startedMs: EpochMs;
  /** What was counted in the last minute. */
  #counted: Array<{ readonly at: EpochMs; readonly requests: number; readonly bytes: number }> = [];

  constructor(into: string, clock: Clock) {
    this.#into = resolve(into);
    this.#clock = clock;
    this.#startedMs = clock();
  }

  write({ event: _, ...counts }: WebProgress): void {
    const now = this.#clock();
    const { requests, bytes } = counts;
    this.#counted = this.#counted.filter(({ at }) => at > now - minuteMs);
    const first = this.#counted[0] ?? { at: this.#startedMs, requests: 0, bytes: 0 };
    this.#counted.push({ at: now, requests, bytes });
    const seconds = Math.max(1, (now - first.at) / 1000);
    const status: WebStatus = {
      ...{ version: 1, pid: process.pid, host: hostname(), startedMs: this.#startedMs, writtenMs: now },
      requestsPerSecond: (requests - first.requests) / seconds,
      bytesPerSecond: (bytes - first.bytes) / seconds,
      ...counts,
    };
    writeStatus(this.#into, statusName, status);
  }

  [Symbol.dispose](): void {
    removeStatus(this.#into, statusName);
  }
}

/**
 * Reads the status of the crawl of the Web that goes on in a folder.
 *
 * @returns undefined if there is none
 * @throws TidemarkError `state-corrupt` if the file is not such a status; `no-permission`, `io`
 */
export function readWebStatus(folder: string, now: Clock): StatusLook<WebStatus> | undefined {
  return lookAtStatus(resolve(folder), statusName, parseWebStatus, now).look;
}

/**
 * Reads the status of what goes on in a folder: a crawl of the Web, or a follower of sites.
 *
 * @throws TidemarkError `not-found` if neither does; `state-corrupt` if a file is no such status; `no-permission`, `io`
 */
export function readCrawlStatus(folder: string, now: Clock): FollowLook | StatusLook<WebStatus> {
  const into = resolve(folder);
  const { look, died } = lookAtStatus(into, statusName, parseWebStatus, now);
  if (look !== undefined) return look;
  try {
    return readFollowStatus(into, now);
  } catch (error) {
    if (died === undefined || !(error instanceof TidemarkError) || error.code !== "not-found") throw error;
    throw noStatus(`Nobody crawls the Web into ${into}.`, died, {
      into,
      hint: "Start the same `tidemark crawl --web SEEDS --into DIR` again: it goes on where it was.",
    });
  }
}
