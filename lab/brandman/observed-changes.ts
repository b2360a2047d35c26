import type { Random } from "../../src/core/random.ts";
import { intervalBars } from "./change-intervals.ts";

/** How a page's changes follow each other: at regular intervals from a random phase on, or at random. */
export const changeProcesses = ["regular", "poisson"] as const;

/** One of {@link changeProcesses}. */
export type ChangeProcess = (typeof changeProcesses)[number];

/** On how many of `days` days a daily visitor sees that a page of this average interval changed. */
export function countObservedChanges(
  process: ChangeProcess,
  intervalDays: number,
  days: number,
  random: Random,
): number {
  if (process === "regular") {
    const first = random() * intervalDays;
    return first >= days ? 0 : Math.floor((days - first) / intervalDays) + (first === 0 ? 0 : 1);
  }
  const chance = -Math.expm1(-1 / intervalDays);
  let seen = 0;
  for (let day = 0; day < days; day++) if (random() < chance) seen += 1;
  return seen;
}

/**
 * The bar of Figure 2 that a page falls into: a page that changed 4 times in 4 months "changes once every month on
 * average" (section 4.1), and so on.
 */
export function barOfObserved(changes: number, days: number): number {
  const bar = intervalBars.findIndex(
    ({ toDays }, at) => at < intervalBars.length - 1 && changes >= Math.max(1, Math.floor(days / toDays)),
  );
  return bar < 0 ? intervalBars.length - 1 : bar;
}
