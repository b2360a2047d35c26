import type { FetchFailure, FetchOutcome, FetchRequest } from "../model/index.ts";
import { isCancelled, type ReadingVisit } from "./reading-visit.ts";

/** Waits before the second and the third request for the same thing. */
const retryDelaysMs: readonly number[] = [500, 2000];
/** A server that asks for a longer wait than this is asked again in another visit. */
const maxRetryWaitMs = 30_000;
/** After so many page requests in a row without an answer the site is left alone. */
export const maxTroublesInARow = 20;

// Slower than this is too slow: a large body may take longer than a small one, not for ever.
const minBytesPerMs = 64;

// A timeout has had its time already; of the others only these can pass by themselves.
const passing: ReadonlySet<FetchFailure> = new Set(["connection", "dns", "truncated"]);

/** A request as the visit's parts make it; origin, time and signal are the visit's. */
export interface VisitRequest extends Omit<FetchRequest, "origin" | "timeoutMs" | "signal"> {
  /** Size of the body that is expected, in bytes; it may take longer than a small one. */
  readonly expectedBytes?: number;
}

function waitBeforeRetryMs(outcome: FetchOutcome, attempt: number, nowMs: number): number | undefined {
  const delayMs = retryDelaysMs[attempt];
  if (delayMs === undefined) return undefined;
  if (outcome.kind === "failed") return passing.has(outcome.reason) ? delayMs : undefined;
  if (outcome.kind !== "unavailable") return undefined;
  const waitMs = Math.max(delayMs, (outcome.retryAt ?? 0) - nowMs);
  return waitMs <= maxRetryWaitMs ? waitMs : undefined;
}

/**
 * Asks for something, and asks again after a while if the server or the network is in trouble.
 *
 * @param makeRequest - called before each attempt, so that each has its own sink
 * @param mayRetry - asked before each further attempt
 */
export async function getPatiently(
  visit: ReadingVisit,
  of: "metadata" | "page",
  makeRequest: () => VisitRequest,
  mayRetry: () => boolean = () => true,
): Promise<FetchOutcome> {
  for (let attempt = 0; ; attempt++) {
    const { expectedBytes = 0, ...request } = makeRequest();
    const outcome = await visit.ports.requests.get({
      ...request,
      origin: visit.origin,
      timeoutMs: visit.timeoutMs + Math.ceil(expectedBytes / minBytesPerMs),
      ...(visit.signal === undefined ? {} : { signal: visit.signal }),
    });
    visit.tally.count(outcome, of);
    const waitMs = waitBeforeRetryMs(outcome, attempt, visit.ports.timing.now());
    if (waitMs === undefined || !mayRetry() || isCancelled(visit)) return outcome;
    await visit.ports.timing.delay(waitMs, visit.signal);
    if (isCancelled(visit)) return outcome;
  }
}

/** An outcome in words, for messages. */
export function describeOutcome(outcome: FetchOutcome): string {
  if (outcome.kind === "failed") return outcome.message;
  return `the server answered ${outcome.status}`;
}
