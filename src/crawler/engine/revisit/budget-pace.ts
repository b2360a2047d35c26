import type { EpochMs } from "../../../core/index.ts";

/** How many requests a second the visits to a site were given, as it is kept from one visit to the next. */
export interface BudgetPace {
  /** When the visit was that was counted last. */
  readonly at: EpochMs;
  readonly perSecond: number;
  /** Whether the pace is that of a single visit, taken for one of a day. */
  readonly isGuess: boolean;
}

const daySeconds = 86_400;
/** After so long what was before counts about a third. */
const memorySeconds = 7 * daySeconds;
/** Two visits that are nearer count as that far apart: what was cut short goes on at once. */
const leastSeconds = 3600;

/**
 * Counts a visit and its budget, over the time since the one before: a mean in which a week ago counts a third. A first visit is
 * taken for one of a day, until the second tells.
 */
export function paceAfter(pace: BudgetPace | undefined, now: EpochMs, budget: number): BudgetPace {
  if (pace === undefined) return { at: now, perSecond: budget / daySeconds, isGuess: true };
  const seconds = Math.max(leastSeconds, (now - pace.at) / 1000);
  const kept = pace.isGuess ? 0 : Math.exp(-seconds / memorySeconds);
  return { at: now, perSecond: kept * pace.perSecond + (1 - kept) * (budget / seconds), isGuess: false };
}
