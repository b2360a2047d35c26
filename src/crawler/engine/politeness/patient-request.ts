import { type FetchOutcome, type FetchRequest, mayPassAtOnce } from "../../../core/index.ts";
import { isCancelled, type ReadingVisit } from "../visit/reading-visit.ts";
import type { RequestKind } from "../visit/tally.ts";
import { getWithPermit, type Postponed } from "./site-permit.ts";

/** So often the same thing is asked for in a visit. */
const maxAttempts = 3;
/** After so many visits in a row with the same trouble a decision is made. */
export const patienceVisits = 3;
/** After so many page requests in a row without an answer the site is left alone. */
export const maxTroublesInARow = 10;

/** A request as the visit's parts make it; origin, time and signal are the visit's. */
export type VisitRequest = Omit<FetchRequest, "origin" | "timeoutMs" | "leastBytesPerSecond" | "beforeNext" | "signal">;

/**
 * Asks for something when it is the site's turn, and asks again if the server or the network is in trouble; how long to
 * wait before that is for the site's clocks to say.
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
    const outcome = await getWithPermit(visit, ({ beforeNext, mayNotGoOn }) => {
      const request = makeRequest();
      const { origin, timeoutMs, bounds } = visit;
      const onProgress: FetchRequest["onProgress"] = (bytes) => mayNotGoOn(bytes) ?? request.onProgress?.(bytes);
      const { leastBytesPerSecond } = bounds;
      const whole = { ...request, origin, timeoutMs, leastBytesPerSecond, onProgress, beforeNext };
      return visit.ports.requests.get(visit.signal === undefined ? whole : { ...whole, signal: visit.signal });
    });
    if (outcome.kind === "postponed") {
      visit.tally.isPostponed = true;
      visit.tally.isDelayed ||= outcome.isByDelay;
      return last ?? outcome;
    }
    visit.tally.count(outcome, of);
    last = outcome;
  }
  if (last === undefined) throw new TypeError("nothing was asked");
  return last;
}

/** An outcome in words, for messages. */
export function describeOutcome(outcome: FetchOutcome | Postponed): string {
  if (outcome.kind === "failed" || outcome.kind === "postponed") return outcome.message;
  return `the server answered ${outcome.status}`;
}
