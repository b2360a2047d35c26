import { parseHttpDate } from "../format/index.ts";
import type { EpochSeconds, Target } from "../model/index.ts";
import { type ChangeHistory, noHistory, observe, PollPlanner, rateOf } from "../revisit/index.ts";
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

function readHistory(numbers: readonly number[]): ChangeHistory {
  const history: { -readonly [K in keyof ChangeHistory]: number } = { ...noHistory };
  for (const [at, field] of fields.entries()) history[field] = numbers[at] ?? 0;
  return history;
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
  return fields.map((field) => history[field]);
}

/**
 * Chooses which of a site's targets are worth a request: the greedy index under the visit's budget, and without one
 * those that have probably changed.
 *
 * @param targets - all that were asked for before, in any order; they are looked at once
 */
export function* choosePolls(visit: TargetVisit, targets: Iterable<Target>): Generator<Target, void, void> {
  const { budget, tally } = visit;
  const left = budget - tally.pageRequests;
  const planner = new PollPlanner({
    now: visit.ports.timing.now(),
    ...(Number.isFinite(left) ? { budget: Math.max(0, left) } : {}),
  });
  for (const target of targets) {
    planner.add({
      path: target.path,
      polledAt: target.askedAt === undefined ? undefined : target.askedAt * 1000,
      ratePerSecond: rateOf(readHistory(target.history)),
    });
  }
  for (const { path } of planner.finish().polls) {
    const target = visit.ports.targets.find(path);
    if (target !== undefined) yield target;
  }
}
