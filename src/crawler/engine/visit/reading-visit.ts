import type { EpochMs, ReadingPorts } from "../../../core/index.ts";
import { type CrawlEvent, TidemarkError } from "../../../core/index.ts";
import type { Robots, RobotsAgent } from "../../../formats/robots/index.ts";
import type { ClockKeeper } from "./clock-keeper.ts";
import type { Tally } from "./tally.ts";
import type { VisitBounds } from "./visit-bounds.ts";

/** What everything that asks one site something, during one visit, has in common. */
export interface ReadingVisit {
  /** Such as `https://example.org`. */
  readonly origin: string;
  /** Whether that is another host than the one whose pages are visited, which has lists of them. Default false. */
  readonly isElsewhere?: boolean;
  /** The names under which robots.txt is obeyed. */
  readonly agent: RobotsAgent;
  /** The rules of the site, which redirects of its lists obey; undefined until they are known. */
  readonly robots?: Robots | undefined;
  readonly ports: ReadingPorts;
  readonly tally: Tally;
  readonly report: (event: CrawlEvent) => void;
  /** Whether the redirect of a page, or to another site, is no reason to wait longer than for any request. Default false: its further request waits. */
  readonly leavesRedirects?: boolean;
  /** Requests that may be under way at once. */
  readonly concurrency: number;
  /** Time that a small request may take, and longest silence of a large one. */
  readonly timeoutMs: number;
  readonly bounds: VisitBounds;
  /** Asked about each second of a request: whether nothing more is waited for, and it is left for the next visit. */
  readonly mustEnd?: (() => boolean) | undefined;
  readonly signal: AbortSignal | undefined;
  /** Once it is aborted, no further request is made; those under way are waited for. */
  readonly halt?: AbortSignal | undefined;
  /** Keeps the numbers of the site's clocks; undefined if the visit remembers nothing. */
  readonly clocks?: ClockKeeper | undefined;
  /** What to do about a visit that was stopped. Default: to run it again, which goes on with what is left. */
  readonly stopHint?: string;
}

/** Time that a small request may take, unless a site has its own. */
export const defaultTimeoutMs = 30_000;
/** Interval at which a request under way is checked. */
const lookMs = 1000;

/** Whether requests that were under way at a halt had as long as a request may take. */
export function isHaltOver(haltedAt: EpochMs, now: EpochMs, timeoutMs: number = defaultTimeoutMs): boolean {
  return now - haltedAt >= timeoutMs - lookMs;
}

/** Reports something that a person may want to know and that stops nothing. */
export function warn(visit: ReadingVisit, code: string, message: string): void {
  visit.report({ event: "warning", site: visit.origin, code, message });
}

/**
 * Whether the visit was cancelled or halted, or an address that the site shares with others rests for longer than it waits; asked anew
 * each time, since that may happen at any wait.
 */
export function isCancelled({ signal, halt, tally }: Pick<ReadingVisit, "signal" | "halt" | "tally">): boolean {
  return signal?.aborted === true || halt?.aborted === true || tally.busyUntil > 0;
}

/**
 * Ends the visit if {@link isCancelled}.
 *
 * @throws TidemarkError `aborted`
 */
export function throwIfAborted(visit: ReadingVisit): void {
  if (!isCancelled(visit)) return;
  throw new TidemarkError("aborted", `The visit to ${visit.origin} was stopped before its end.`, {
    hint: visit.stopHint ?? "Run the same command again: it goes on where it stopped.",
    cause: (visit.signal?.aborted === true ? visit.signal : visit.halt)?.reason,
  });
}
