import type { ProbeRotation } from "./probe-record.ts";

/** Why a page is asked for: nobody asked yet; it comes after the cursor; or before it, because all after it had their turn. */
export type ProbeReason = "first" | "after" | "before";

/**
 * Divides a run's requests fairly, while pages go by in path order and none comes again. Pages that nobody asked for
 * come first, but for a quarter of the requests. The others have their turn in a circle: the run goes on after the page where the one before ended, and
 * begins anew at the site's first page when it has come to the last.
 */
export class RotationPlan {
  readonly #start: ProbeRotation;
  #left: number;
  /** Of the requests that are left, those for pages that nobody asked for. */
  #kept: number;
  /** And those for the others: new pages each day must not keep them waiting for ever. */
  #keptForOthers: number;
  #frontLeft: number;
  #cursor: string;
  #after = 0;
  #known = 0;
  #unasked = 0;
  #isAround = false;

  constructor(start: ProbeRotation, budget: number) {
    this.#start = start;
    this.#left = budget;
    this.#keptForOthers = Math.min(Math.floor(budget / 4), start.known);
    this.#kept = Math.min(budget - this.#keptForOthers, start.unasked);
    this.#frontLeft = Math.max(0, budget - this.#kept - start.after);
    this.#cursor = start.cursor;
  }

  /** Where the next run goes on, when all pages were settled. */
  get end(): Omit<ProbeRotation, "known"> {
    const unasked = this.#unasked;
    // What was to come after the cursor is not listed any more: the circle begins anew.
    if (this.#keptForOthers > 0) return { cursor: "", after: this.#known, unasked };
    return { cursor: this.#cursor, after: this.#after, unasked };
  }

  /** Decides about the next page; undefined if it is not to be asked for. */
  choose(path: string, wasAsked: boolean): ProbeReason | undefined {
    if (this.#left === 0) return undefined;
    if (!wasAsked) {
      if (this.#left <= this.#keptForOthers) return undefined;
      this.#left -= 1;
      if (this.#kept > 0) this.#kept -= 1;
      return "first";
    }
    if (this.#left <= this.#kept) return undefined;
    const isAfter = path > this.#start.cursor;
    if (!isAfter && this.#frontLeft === 0) return undefined;
    if (!isAfter) this.#frontLeft -= 1;
    if (this.#keptForOthers > 0) this.#keptForOthers -= 1;
    this.#left -= 1;
    return isAfter ? "after" : "before";
  }

  /** Notes what became of a page, in path order. @param isKnown - whether it was ever asked for by now */
  settle(path: string, reason: ProbeReason | undefined, isKnown: boolean, isDeferred: boolean): void {
    if (isKnown) this.#known += 1;
    else this.#unasked += 1;
    const moves = !isDeferred && (reason === "before" || (reason === "after" && !this.#isAround));
    if (moves) {
      this.#isAround = reason === "before";
      this.#cursor = path;
      this.#after = 0;
    } else if (isKnown && path > this.#cursor) {
      this.#after += 1;
    }
  }
}
