import type { HostHealth, Permit } from "../../../core/index.ts";
import {
  type EpochMs,
  type FetchOutcome,
  type FetchRequest,
  type FetchStop,
  isSiteInTrouble,
} from "../../../core/index.ts";
import { type ReadingVisit, warn } from "../visit/reading-visit.ts";

/** A request that was not made: the site wants to be left alone for longer than we wait. */
export interface Postponed {
  readonly kind: "postponed";
  /** When it may be made. */
  readonly notBefore: EpochMs;
  readonly message: string;
  /** Whether it is the site's Crawl-delay that takes so long. */
  readonly isByDelay: boolean;
}

function healthOf(outcome: FetchOutcome): HostHealth {
  if (!isSiteInTrouble(outcome)) return "fine";
  if (outcome.kind !== "unavailable") return "unreachable";
  return outcome.status === 429 || outcome.status === 503 ? "overloaded" : "broken";
}

async function acquirePermit(
  visit: ReadingVisit,
  site: string,
  isFurther: boolean,
): Promise<Permit | Postponed | undefined> {
  const { rateLimiter, timing } = visit.ports;
  const keeper = site === visit.origin ? visit.clocks : undefined;
  if (visit.bounds.isSpent) {
    const message = "this visit has reached its limit of received bytes (--max-visit)";
    return { kind: "postponed", notBefore: timing.now(), message, isByDelay: false };
  }
  const answer = await rateLimiter?.acquire(site, {
    signal: visit.signal,
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
  if (answer.kind === "aborted")
    return { kind: "postponed", notBefore: timing.now(), message: "stopped before the end", isByDelay: false };
  const time = new Date(answer.at).toISOString();
  const isByDelay = answer.why === "crawl-delay";
  const message = `no request may be sent to the site before ${time}${isByDelay ? " (its Crawl-delay; --max-wait lets a visit wait longer)" : ""}`;
  return { kind: "postponed", notBefore: answer.at, message, isByDelay };
}

/** Why a request has to end. @param bytes - of its body that came since the last call */
function endOf(visit: ReadingVisit, permit: Permit | undefined, bytes: number): FetchStop | undefined {
  const spent = visit.bounds.take(bytes);
  if (spent !== undefined || bytes > 0) return spent;
  if (visit.mustEnd?.() === true) return { reason: "aborted", message: "stopped before the end" };
  // Counted as trouble of the site, so that it is retried later: a hostile site would hold the next permit as well.
  return permit?.isRecalled() === true
    ? { reason: "timeout", message: "no complete answer for a long time, while other sites waited for the connection" }
    : undefined;
}

/** What a request that has a permit asks while it runs. */
export interface RequestChecks {
  /** Before each further request; see `FetchRequest.beforeNext`. */
  readonly beforeNext: NonNullable<FetchRequest["beforeNext"]>;
  /** Why it is to end; told of the bytes of its body that came. */
  readonly mayNotGoOn: (bytes: number) => FetchStop | undefined;
}

/**
 * Waits for a permit, makes one request and notes the site's health. A further request, for a redirect or after a lost
 * connection, waits for a permit of its own.
 */
export async function getWithPermit(
  visit: ReadingVisit,
  makeRequest: (questions: RequestChecks) => Promise<FetchOutcome>,
): Promise<FetchOutcome | Postponed> {
  const first = await acquirePermit(visit, visit.origin, false);
  if (first?.kind === "postponed") return first;
  let permit = first;
  let postponed: Postponed | undefined;
  let outcome: FetchOutcome | undefined;
  try {
    const beforeNext: RequestChecks["beforeNext"] = async (url) => {
      permit?.done({ health: "fine", requests: 1 });
      permit = undefined;
      const next = await acquirePermit(visit, new URL(url).origin, true);
      if (next?.kind === "postponed") postponed = next;
      else permit = next;
      return postponed === undefined;
    };
    outcome = await makeRequest({ beforeNext, mayNotGoOn: (bytes) => endOf(visit, permit, bytes) });
    return postponed ?? outcome;
  } finally {
    const retryAt = outcome?.kind === "unavailable" ? outcome.retryAt : undefined;
    const isBounded = permit?.done({
      health: outcome === undefined ? "fine" : healthOf(outcome),
      retryAt,
      requests: Math.min(1, outcome?.requests ?? 1),
    });
    visit.clocks?.waits(visit.ports.timing.now());
    if (isBounded === true && retryAt !== undefined)
      warn(
        visit,
        "retry-after-bounded",
        `The site asked for no request before ${new Date(retryAt).toISOString()}; that is longer than the allowed wait.`,
      );
  }
}
