import {
  type EpochMs,
  type FetchOutcome,
  type FetchRequest,
  type FetchStop,
  type HostHealth,
  isSiteInTrouble,
  mayPassAtOnce,
  type Permit,
  type WaitReason,
} from "../../../core/index.ts";
import { isCancelled, type ReadingVisit, warn } from "../visit/reading-visit.ts";
import type { RequestKind } from "../visit/tally.ts";

/** Attempts for one request in a visit. */
const maxAttempts = 3;
/** After this many visits in a row with the same trouble a decision is made. */
export const patienceVisits = 3;
/** After this many page requests in a row without an answer the visit ends. */
export const maxTroublesInARow = 10;

/** A request as the parts of a visit make it; origin, time limits and signal are the visit's. */
export type VisitRequest = Omit<FetchRequest, "origin" | "timeoutMs" | "leastBytesPerSecond" | "beforeNext" | "signal">;

/** A request that was not made, because the site may not be asked for longer than we wait. */
export interface Postponed {
  readonly kind: "postponed";
  /** Origin that may not be asked: where a redirect led, maybe. */
  readonly site: string;
  /** When it may be made. */
  readonly notBefore: EpochMs;
  readonly message: string;
  /** Whether it is the site's Crawl-delay that takes so long. */
  readonly isByDelay: boolean;
  /** Whether it is an address that the site of the visit shares with others. */
  readonly isByAddress: boolean;
}

/**
 * Makes a request as soon as the site may be asked, and again if the server or the network is in trouble. How long to
 * wait in between is decided by the site's clocks.
 *
 * @param makeRequest - called before each attempt, so that each has its own sink
 * @param mayRetry - asked before each further attempt
 */
export async function getPatiently(
  visit: ReadingVisit,
  of: RequestKind,
  makeRequest: () => VisitRequest,
  mayRetry: () => boolean = () => true,
): Promise<FetchOutcome | Postponed> {
  let last: FetchOutcome | undefined;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (last !== undefined && (!mayPassAtOnce(last) || !mayRetry() || isCancelled(visit))) return last;
    const outcome = await getWithPermit(visit, of, makeRequest);
    if (outcome.kind === "postponed") {
      // The rests of another host with lists of the site say nothing of the site's pages.
      const isOwn = visit.isElsewhere !== true;
      visit.tally.isPostponed ||= isOwn;
      if (isOwn && last === undefined) visit.tally.unasked++;
      // A redirect may have led to another host, whose Crawl-delay is not the site's.
      visit.tally.isDelayed ||= isOwn && outcome.site === visit.origin && outcome.isByDelay;
      visit.tally.postponedUntil = Math.max(visit.tally.postponedUntil, outcome.notBefore);
      // After an answer the site is in trouble, and that counts.
      if (last === undefined && outcome.isByAddress) cutShort(visit, outcome);
      return last ?? outcome;
    }
    visit.tally.count(outcome, of);
    last = outcome;
  }
  if (last === undefined) throw new TypeError("no request was made");
  return last;
}

/** Ends a visit whose site waits for others at its address: that says nothing of the site. */
function cutShort(visit: ReadingVisit, { message, notBefore }: Postponed): void {
  const { tally } = visit;
  if (tally.busyUntil === 0) warn(visit, "site-postponed", `${message}; the rest is left for the next visit.`);
  tally.busyUntil = Math.max(tally.busyUntil, notBefore);
}

/** An outcome in words, for messages. */
export function describeOutcome(outcome: FetchOutcome | Postponed): string {
  if (outcome.kind === "failed" || outcome.kind === "postponed") return outcome.message;
  return `the server answered ${outcome.status}`;
}

/**
 * Waits for a permit, makes one request and reports the site's health. A further request, for a redirect or after a lost
 * connection, waits for a permit of its own.
 */
async function getWithPermit(
  visit: ReadingVisit,
  of: RequestKind,
  makeRequest: () => VisitRequest,
): Promise<FetchOutcome | Postponed> {
  const { origin, timeoutMs, bounds, ports, signal } = visit;
  const waitsFor = (site: string): boolean => visit.leavesRedirects !== true || (of !== "page" && site === origin);
  const first = await acquirePermit(visit, origin, false);
  if (first?.kind === "postponed") return first;
  let permit = first;
  let postponed: Postponed | undefined;
  let outcome: FetchOutcome | undefined;
  try {
    const beforeNext: FetchRequest["beforeNext"] = async (url) => {
      permit?.done({ health: "fine", requests: 1 });
      permit = undefined;
      const site = new URL(url).origin;
      const next = await acquirePermit(visit, site, waitsFor(site));
      if (next?.kind === "postponed") postponed = next;
      else permit = next;
      return postponed === undefined;
    };
    const request = makeRequest();
    const onProgress = (bytes: number): FetchStop | undefined =>
      findReasonToEnd(visit, permit, bytes) ?? request.onProgress?.(bytes);
    const { leastBytesPerSecond } = bounds;
    const whole = { ...request, origin, timeoutMs, leastBytesPerSecond, onProgress, beforeNext, signal };
    outcome = await ports.requests.get(whole);
    const isTaken = outcome.kind === "failed" && outcome.reason === "redirect-taken";
    return isTaken ? outcome : (postponed ?? outcome);
  } finally {
    const retryAt = outcome?.kind === "unavailable" ? outcome.retryAt : undefined;
    const isBounded = permit?.done({
      health: outcome === undefined ? "fine" : healthOf(outcome),
      retryAt,
      requests: Math.min(1, outcome?.requests ?? 1),
    });
    visit.clocks?.waits(ports.timing.now());
    if (isBounded === true && retryAt !== undefined)
      warn(
        visit,
        "retry-after-bounded",
        `The site asked for no request before ${new Date(retryAt).toISOString()}; that is longer than the allowed wait.`,
      );
  }
}

async function acquirePermit(
  visit: ReadingVisit,
  site: string,
  isFurther: boolean,
): Promise<Permit | Postponed | undefined> {
  const { rateLimiter, timing } = visit.ports;
  const keeper = site === visit.origin ? visit.clocks : undefined;
  const postpone = (message: string, notBefore = timing.now(), why?: WaitReason): Postponed => ({
    kind: "postponed",
    site,
    notBefore,
    message,
    isByDelay: why === "crawl-delay",
    isByAddress: why === "shared-address" && keeper !== undefined,
  });
  if (visit.bounds.isSpent) return postpone("this visit has reached its limit of received bytes (--max-visit)");
  const answer = await rateLimiter?.acquire(site, {
    signal: visit.halt ?? visit.signal,
    isFurther,
    onWait: (untilMs, why) => {
      keeper?.waits(timing.now());
      visit.report({ event: "waiting", site, untilMs, why });
    },
  });
  if (answer === undefined || answer.kind === "permit") {
    keeper?.begins();
    return answer;
  }
  if (answer.kind === "aborted") return postpone("stopped before the end");
  const hint = answer.why === "crawl-delay" ? " (its Crawl-delay; --max-wait lets a visit wait longer)" : "";
  const time = new Date(answer.at).toISOString();
  return postpone(`no request may be sent to the site before ${time}${hint}`, answer.at, answer.why);
}

/** Why a request has to end. @param bytes - of its body, received since the last call */
function findReasonToEnd(visit: ReadingVisit, permit: Permit | undefined, bytes: number): FetchStop | undefined {
  const spent = visit.bounds.take(bytes);
  if (spent !== undefined || bytes > 0) return spent;
  if (visit.mustEnd?.() === true) return { reason: "aborted", message: "stopped before the end" };
  // Counted as trouble of the site, so that it is retried later: a hostile site would hold the next permit as well.
  return permit?.isRecalled() === true
    ? { reason: "timeout", message: "no complete answer for a long time, while other sites waited for the connection" }
    : undefined;
}

function healthOf(outcome: FetchOutcome): HostHealth {
  if (!isSiteInTrouble(outcome)) return "fine";
  if (outcome.kind !== "unavailable") return "unreachable";
  return outcome.status === 429 || outcome.status === 503 ? "overloaded" : "broken";
}
