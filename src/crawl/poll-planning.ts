import { parseHttpDate } from "../format/index.ts";
import type { EpochMs, EpochSeconds, Target } from "../model/index.ts";
import {
  type ChangeHistory,
  defaultPollPolicy,
  defaultPrior,
  dueAfterSeconds,
  minRate,
  noHistory,
  observe,
  PollPlanner,
  type RatePrior,
  rateOf,
  SitePrior,
} from "../revisit/index.ts";
import type { SiteMemory } from "./ports.ts";
import type { TargetFinding } from "./target-judgement.ts";
import type { TargetVisit } from "./target-visit.ts";

/** The numbers of a history in the order in which they are kept; a new one goes to the end. */
const fields = [
  "visits",
  "changes",
  "changedSeconds",
  "changedSquares",
  "datedChanges",
  "quietSeconds",
  "falseDates",
] as const satisfies readonly (keyof ChangeHistory)[];

/** A history from the numbers that are kept of it. */
export function readHistory(numbers: readonly number[]): ChangeHistory {
  const history: { -readonly [K in keyof ChangeHistory]: number } = { ...noHistory };
  for (const [at, field] of fields.entries()) history[field] = numbers[at] ?? 0;
  return history;
}

/** The numbers of a history, to be kept. */
export function numbersOf(history: ChangeHistory): readonly number[] {
  return fields.map((field) => history[field]);
}

/** How a target changed, this answer included, as numbers to be kept. */
export function historyAfter(
  target: Target,
  finding: TargetFinding,
  now: EpochSeconds,
  hasChanged: boolean,
): readonly number[] {
  if (target.askedAt === undefined || target.held === undefined) return target.history;
  const field = "validators" in finding ? finding.validators.lastModified : undefined;
  const modifiedMs = field === undefined ? undefined : parseHttpDate(field, now * 1000);
  const history = observe(readHistory(target.history), {
    intervalSeconds: now - target.askedAt,
    changed: hasChanged,
    ...(modifiedMs === undefined ? {} : { lastModifiedAgeSeconds: now - modifiedMs / 1000 }),
  });
  return numbersOf(history);
}

/** What is thought of a site's pages before they are asked for again: by what its others did, as far as that is known. */
export function readPrior(memory: SiteMemory): RatePrior {
  const seconds = Number((memory.readSource("rates") as { readonly seconds?: unknown } | undefined)?.seconds);
  return seconds >= 1 && seconds <= 1 / minRate ? { ...defaultPrior, seconds } : defaultPrior;
}

/** When a page is due that was asked for now, by the same plan. */
export function dueAfterAnswer(history: readonly number[], prior: RatePrior, now: EpochSeconds): EpochMs {
  const { minChangeProbability } = defaultPollPolicy;
  const rate = rateOf(readHistory(history), prior);
  return (now + dueAfterSeconds(rate, minChangeProbability, defaultPollPolicy)) * 1000;
}

/** Targets that are worth a request. */
export interface ChosenPolls {
  readonly targets: Iterator<Target>;
  /** When the first of those that are not worth one yet will be; undefined if there is none. */
  readonly nextDueAt: EpochMs | undefined;
}

/** So many are looked at before others may do something. */
const lookedAtAtOnce = 1000;

/**
 * Chooses which of a site's targets are worth a request: the greedy index under the visit's budget, and without one
 * those that have probably changed.
 *
 * @param targets - all that were asked for before, in any order; they are looked at once
 */
export async function choosePolls(visit: TargetVisit, targets: Iterable<Target>): Promise<ChosenPolls> {
  const { budget, tally } = visit;
  const { timing, memory } = visit.ports;
  const prior = readPrior(memory);
  const fit = new SitePrior(prior);
  const left = budget - tally.pageRequests;
  const planner = new PollPlanner({
    now: timing.now(),
    ...(Number.isFinite(left) ? { budget: Math.max(0, left) } : {}),
  });
  let looked = 0;
  for (const target of targets) {
    const history = readHistory(target.history);
    fit.add(history);
    planner.add({
      path: target.path,
      polledAt: target.askedAt === undefined ? undefined : target.askedAt * 1000,
      ratePerSecond: rateOf(history, prior),
    });
    if (++looked % lookedAtAtOnce === 0) await timing.delay(0, visit.signal);
  }
  if (looked > 0) memory.rememberSource("rates", { seconds: fit.prior.seconds });
  const { polls, nextDueAt } = planner.finish();
  return { targets: takeChosen(visit, polls), nextDueAt };
}

function* takeChosen(visit: TargetVisit, polls: readonly { readonly path: string }[]): Generator<Target, void, void> {
  for (const { path } of polls) {
    const target = visit.ports.targets.find(path);
    if (target !== undefined) yield target;
  }
}
