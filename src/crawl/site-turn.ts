import type { Turn, Wellbeing } from "../frontier/index.ts";
import { type EpochMs, type FetchOutcome, type FetchStop, isSiteInTrouble } from "../model/index.ts";
import { type ReadingVisit, warn } from "./reading-visit.ts";

/** A request that was not made: the site wants to be left alone for longer than we wait. */
export interface Postponed {
  readonly kind: "postponed";
  /** When it may be made. */
  readonly notBefore: EpochMs;
  readonly message: string;
}

/** A wait that is shorter is not worth a write. */
const rememberFromMs = 1000;

function wellbeingOf(outcome: FetchOutcome): Wellbeing {
  if (!isSiteInTrouble(outcome)) return "fine";
  if (outcome.kind !== "unavailable") return "unreachable";
  return outcome.status === 429 || outcome.status === 503 ? "overloaded" : "broken";
}

async function takeTurn(visit: ReadingVisit): Promise<Turn | Postponed | undefined> {
  const { gate } = visit.ports;
  const site = visit.origin;
  if (visit.bounds.isSpent) {
    const message = "this visit has received as many bytes as it may (--max-visit)";
    return { kind: "postponed", notBefore: visit.ports.timing.now(), message };
  }
  const answer = await gate?.turn(site, {
    signal: visit.signal,
    onWait: (untilMs, why) => visit.report({ event: "waiting", site, untilMs, why }),
  });
  if (answer === undefined || answer.kind === "turn") return answer;
  if (answer.kind === "aborted")
    return { kind: "postponed", notBefore: visit.ports.timing.now(), message: "stopped before the end" };
  const time = new Date(answer.at).toISOString();
  return { kind: "postponed", notBefore: answer.at, message: `the site is not to be asked before ${time}` };
}

function remember(visit: ReadingVisit): void {
  const { gate, timing } = visit.ports;
  if (gate === undefined || gate.restsUntil(visit.origin) - timing.now() < rememberFromMs) return;
  visit.rememberClock?.(gate.stateOf(visit.origin, true));
}

/** Why the request of a turn is to end; told of the bytes of its body that came. */
function endOf(visit: ReadingVisit, turn: Turn | undefined, bytes: number): FetchStop | undefined {
  const spent = visit.bounds.take(bytes);
  if (spent !== undefined || bytes > 0) return spent;
  if (visit.mustEnd?.() === true) return { reason: "aborted", message: "stopped before the end" };
  // Trouble, so that it is asked again when there is more room: a hostile site would take the next turn as well.
  return turn?.isRecalled() === true
    ? { reason: "timeout", message: "no whole answer for long, while other sites waited for its connection" }
    : undefined;
}

/** Makes one request once it is the site's turn, and takes note of how the site is. */
export async function getInTurn(
  visit: ReadingVisit,
  makeRequest: (onProgress: (bytes: number) => FetchStop | undefined) => Promise<FetchOutcome>,
): Promise<FetchOutcome | Postponed> {
  const turn = await takeTurn(visit);
  if (turn?.kind === "postponed") return turn;
  let outcome: FetchOutcome | undefined;
  try {
    outcome = await makeRequest((bytes) => endOf(visit, turn, bytes));
    return outcome;
  } finally {
    const retryAt = outcome?.kind === "unavailable" ? outcome.retryAt : undefined;
    const isBounded = turn?.done({
      wellbeing: outcome === undefined ? "fine" : wellbeingOf(outcome),
      retryAt,
      requests: outcome?.requests ?? 1,
    });
    remember(visit);
    if (isBounded === true && retryAt !== undefined)
      warn(
        visit,
        "retry-after-bounded",
        `The site asks not to be asked before ${new Date(retryAt).toISOString()}; that is longer than it is left alone.`,
      );
  }
}
