import type { Verdict } from "./judgement.ts";

/** What is known of a volunteer's results. */
export interface Reputation {
  /** Results in a row that were found right. */
  readonly good: number;
  /** Results that were checked, and those of them that were wrong. */
  readonly checked: number;
  readonly wrong: number;
}

export const noReputation: Reputation = { good: 0, checked: 0, wrong: 0 };

/** Right results in a row after which a volunteer has a record: not every result is checked. */
export const leastProven = 10;
/** A result is checked with this probability at least. */
const leastCheck = 0.05;
/** Of units on which two volunteers without a record agree, so many are looked at by the project itself. */
export const doubtfulAuditShare = 0.1;
/** Share of units of known pages. */
export const knownShare = { new: 0.1, proven: 0.02 } as const;
const maxWrong = 2;
const wrongShare = 0.02;

export function isProven({ good }: Reputation): boolean {
  return good >= leastProven;
}

/** Whether nothing is taken from a volunteer any more: two wrong results, and more than 2 % of those that were checked. */
export function isBarred({ wrong, checked }: Reputation): boolean {
  return wrong >= maxWrong && wrong > wrongShare * checked;
}

/** Probability that the next result is checked: 1 for new volunteers, then 1/n after n right ones in a row, and never less than 5 %. */
export function checkProbability({ good }: Reputation): number {
  return good < leastProven ? 1 : Math.max(leastCheck, 1 / good);
}

/** After a check. */
export function judged({ good, checked, wrong }: Reputation, verdict: Verdict): Reputation {
  if (verdict === "unclear") return { good, checked, wrong };
  return verdict === "right"
    ? { good: good + 1, checked: checked + 1, wrong }
    : { good: 0, checked: checked + 1, wrong: wrong + 1 };
}
