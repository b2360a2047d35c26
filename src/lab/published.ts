import type { LabRow, PublishedVerdict } from "../model/index.ts";

/** A number that a paper prints, and how ours is held against it. */
export interface PublishedNumber {
  /** What it is the number of; no two of an experiment are equal. */
  readonly name: string;
  /** Section or figure. */
  readonly where: string;
  /** As the paper prints it. */
  readonly theirs: string;
  readonly format: "number" | "percent";
  /** Ours meets theirs from the first to the second, both included. */
  readonly tolerance: readonly [number, number];
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
  const shown = { name, where, theirs, ours, format, tolerance };
  if (ours === undefined) return { ...shown, verdict: "not-measured", why: "These parameters do not measure it." };
  if (isOwnData && published.isOfMadeData !== true)
    return { ...shown, verdict: "not-measured", why: "Ours is of data of your own, and theirs is not." };
  if (isWithin(ours, tolerance)) return { ...shown, verdict: "met", why: undefined };
  if (explanation !== undefined && isWithin(ours, explanation.expected))
    return { ...shown, verdict: "explained", why: explanation.why };
  return { ...shown, verdict: "missed", why: undefined };
}

// A bound is met by what rounding made of it.
function isWithin(value: number, [from, to]: readonly [number, number]): boolean {
  return value >= from - 1e-9 && value <= to + 1e-9;
}
