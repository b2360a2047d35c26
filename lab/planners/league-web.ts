import type { PageSignals } from "../../src/crawler/engine/revisit/visit-schedule.ts";

/** Pages of a league whose every change is known. Times in seconds from the beginning. */
export interface LeagueWeb {
  /** Pages are in the order of their birth. */
  readonly bornAt: Float64Array;
  /** When a page changed, ascending, one page after the other; of page i from `starts[i]` to `starts[i + 1]`. */
  readonly changes: Float64Array;
  readonly starts: Uint32Array;
  /** Changes a second of each page, on average. */
  readonly ratesPerSecond: Float64Array;
  /** What pages say of their changes, and what is thought of it. */
  readonly signals?: LeagueSignals;
}

/** Signals of all pages in the order of time. */
export interface LeagueSignals {
  readonly told: PageSignals;
  readonly pages: Uint32Array;
  readonly atSeconds: Float64Array;
}

/** Puts the pages' changes one after the other. */
export function gatherWeb(
  bornAt: Float64Array,
  changesOf: readonly ArrayLike<number>[],
  ratesPerSecond: Float64Array,
): LeagueWeb {
  const starts = new Uint32Array(changesOf.length + 1);
  for (const [page, own] of changesOf.entries()) starts[page + 1] = (starts[page] ?? 0) + own.length;
  const changes = new Float64Array(starts[changesOf.length] ?? 0);
  for (const [page, own] of changesOf.entries()) changes.set(own, starts[page]);
  return { bornAt, changes, starts, ratesPerSecond };
}
