import type { LabRow, PublishedVerdict, ToleranceBasis } from "../../src/core/lab-result.ts";

/** From where to where ours meets theirs, and what that is set from. */
export interface Tolerance {
  readonly range: readonly [number, number];
  readonly basis: ToleranceBasis;
}

/**
 * Half a step around a number that is printed in such steps.
 *
 * @param spread - standard deviation of ours over twelve seeds; 0 for what no chance is in
 */
export function asRounded(value: number, step: number, spread = 0): Tolerance {
  const reach = step / 2 + 2 * spread;
  return { range: [value - reach, value + reach], basis: spread === 0 ? "rounding" : "rounding and seeds" };
}

/** What a sentence says: at least, at most, all, first. */
export function asWorded(from: number, to: number): Tolerance {
  return { range: [from, to], basis: "wording" };
}

/** What no paper prints and we ask of ourselves. */
export function asGoal(from: number, to: number): Tolerance {
  return { range: [from, to], basis: "goal" };
}

/** As near as "small", "close to" and "stable" are read. */
export const near = 0.05;

/** A number that a paper prints, or a goal of ours, and how ours is compared with it. */
export interface PublishedNumber {
  /** What it is the number of; no two of an experiment are equal. */
  readonly name: string;
  /** Section or figure. */
  readonly where: string;
  /** As the paper prints it. */
  readonly theirs: string;
  readonly format: "number" | "percent";
  readonly tolerance: Tolerance;
  /** Whether ours says nothing of data of one's own, and so is judged whatever is given. Default not. */
  readonly isOfMadeData?: boolean;
  /** Ours, from all rows of a run; undefined where they do not say. */
  ours(rows: readonly LabRow[]): number | undefined;
  /** Where ours lies if it misses for a reason that is known, and that reason as a sentence. */
  readonly explanation?: { readonly expected: readonly [number, number]; readonly why: string };
}

/**
 * Holds our number against theirs. A miss is explained only where ours is as far off as the explanation accounts for; of data of
 * one's own ours is only shown.
 */
export function judgePublished(
  published: PublishedNumber,
  rows: readonly LabRow[],
  { isOwnData = false }: { readonly isOwnData?: boolean } = {},
): PublishedVerdict {
  const { name, where, theirs, format, tolerance, explanation } = published;
  const ours = published.ours(rows);
  const { range, basis } = tolerance;
  const shown = { name, where, theirs, ours, format, tolerance: range, basis };
  if (ours === undefined) return { ...shown, verdict: "not-measured", why: "These parameters do not measure it." };
  if (isOwnData && published.isOfMadeData !== true)
    return { ...shown, verdict: "not-measured", why: "Ours is of data of your own, and theirs is not." };
  if (isWithin(ours, range)) return { ...shown, verdict: "met", why: undefined };
  if (explanation !== undefined && isWithin(ours, explanation.expected))
    return { ...shown, verdict: "explained", why: explanation.why };
  return { ...shown, verdict: "missed", why: undefined };
}

// A bound is met by what rounding made of it.
function isWithin(value: number, [from, to]: readonly [number, number]): boolean {
  return value >= from - 1e-9 && value <= to + 1e-9;
}
