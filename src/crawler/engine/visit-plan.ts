import type { EpochMs, LookBounds, VisitPlan } from "../../core/index.ts";
import { numbersOf, readHistory } from "./pipeline/poll-planning.ts";
import { observe, rateOf } from "./revisit/change-rate.ts";
import { dueAfterSeconds, pollPolicy } from "./revisit/poll-policy.ts";
import { learnPublications, planLook } from "./revisit/publication-rhythm.ts";
import type { VisitResult } from "./visit-site.ts";

/** A site that was never visited. */
export const unvisited: VisitPlan = { at: 0, lookedAt: 0, failures: 0, changes: [] };

/** How a visit ended. */
export type VisitEnd =
  | {
      readonly kind: "done";
      readonly result: VisitResult;
      /** Whether it was ended in order before all was done. */
      readonly isCutShort: boolean;
    }
  /** It could not be made, or broke off; `isOurs` if the reason is no site's, such as a full disk. */
  | { readonly kind: "failed"; readonly error: unknown; readonly isOurs: boolean };

/** What the next visit is planned by. */
export interface VisitPlanning {
  readonly bounds: Partial<LookBounds>;
  /** When the visit that ended began. */
  readonly beganAt: EpochMs;
  readonly now: EpochMs;
  /** From 0 to 1; so that sites that were visited together are not for ever. */
  readonly random: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A site that publishes archives is looked at no sooner than the first, all others than the second. */
const leastMs = { archives: minuteMs, others: hourMs } as const;
const defaultMostMs = 24 * hourMs;
/** After a visit that came to nothing; twice as long after each further one. */
const firstRetryMs = 5 * minuteMs;
const jitterShare = 0.05;
const mostJitterMs = 10 * minuteMs;

function boundsOf({ bounds }: Pick<VisitPlanning, "bounds">, isArchives: boolean): LookBounds {
  const mostMs = bounds.mostMs ?? defaultMostMs;
  const least = bounds.leastMs ?? Math.min(mostMs, isArchives ? leastMs.archives : leastMs.others);
  return { leastMs: least, mostMs: Math.max(least, mostMs) };
}

/** The earliest next visit to a site that publishes no changes; undefined while visits fail, since that has its own delays. */
export function earliestVisitOf(plan: VisitPlan, bounds: VisitPlanning["bounds"]): EpochMs | undefined {
  return plan.failures > 0 ? undefined : plan.lookedAt + boundsOf({ bounds }, false).leastMs;
}

function spread(at: EpochMs, { now, random }: VisitPlanning): EpochMs {
  return Math.round(at + Math.min(mostJitterMs, Math.max(0, at - now) * jitterShare) * random);
}

function retryAt(failures: number, planning: VisitPlanning): EpochMs {
  const { mostMs } = boundsOf(planning, false);
  return spread(planning.now + Math.min(mostMs, firstRetryMs * 2 ** Math.min(20, failures - 1)), planning);
}

function fail(plan: VisitPlan, planning: VisitPlanning, restsUntil: EpochMs): VisitPlan {
  const failures = plan.failures + 1;
  return { ...plan, failures, at: Math.max(retryAt(failures, planning), restsUntil) };
}

function noteArchives(plan: VisitPlan, { publications }: VisitResult, beganAt: EpochMs): VisitPlan {
  if (publications === undefined) return plan;
  const look = { seenAt: beganAt, missedAt: plan.lookedAt === 0 ? undefined : plan.lookedAt };
  return { ...plan, rhythm: learnPublications(plan.rhythm, publications, look) };
}

function noteChanges(plan: VisitPlan, { summary }: VisitResult, beganAt: EpochMs): VisitPlan {
  if (plan.lookedAt === 0) return plan;
  const intervalSeconds = (beganAt - plan.lookedAt) / 1000;
  const changed = summary.created + summary.updated + summary.deleted > 0;
  return { ...plan, changes: numbersOf(observe(readHistory(plan.changes), { intervalSeconds, changed })) };
}

function planRegular(plan: VisitPlan, { summary, nextDueAt }: VisitResult, planning: VisitPlanning): EpochMs {
  const { now } = planning;
  const isArchives = summary.source === "archives";
  const bounds = boundsOf(planning, isArchives);
  if (isArchives && plan.rhythm !== undefined) return planLook(plan.rhythm, now, bounds);
  // Without a plan of polls: when it is as likely as of a page that is due that the site has changed.
  const { minChangeProbability } = pollPolicy;
  const likelyMs = dueAfterSeconds(rateOf(readHistory(plan.changes)), minChangeProbability) * 1000;
  const waitMs = nextDueAt === undefined ? likelyMs : nextDueAt - now;
  return now + Math.max(bounds.leastMs, Math.min(bounds.mostMs, waitMs));
}

/**
 * Plans when a site is visited next: as its publications come, or as its plan of polls says, or as often as it was seen
 * to change; between the bounds. What was cut short goes on as soon as its turn comes; what failed is tried again after a
 * time that doubles. Never before the site wants to be asked again.
 */
export function planNextVisit(plan: VisitPlan, end: VisitEnd, planning: VisitPlanning): VisitPlan {
  if (end.kind === "failed") return end.isOurs ? { ...plan, at: retryAt(1, planning) } : fail(plan, planning, 0);
  const { result, isCutShort } = end;
  const { summary, restsUntil } = result;
  if (isCutShort) return { ...plan, at: Math.max(planning.now, restsUntil) };
  if (summary.source === "none") return fail(plan, planning, restsUntil);
  const note = summary.source === "archives" ? noteArchives : noteChanges;
  const seen: VisitPlan = { ...note(plan, result, planning.beganAt), lookedAt: planning.beganAt };
  const regularAt = spread(planRegular(seen, result, planning), planning);
  // What is left is tried again like a visit that failed, and makes no visit later.
  const failures = summary.pending > 0 ? plan.failures + 1 : 0;
  const at = failures === 0 ? regularAt : Math.min(regularAt, retryAt(failures, planning));
  return { ...seen, failures, at: Math.max(at, restsUntil) };
}
