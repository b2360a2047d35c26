import type { EpochMs } from "../../core/index.ts";
import type { WorkResult } from "../../formats/work-unit/index.ts";

/** What a result is held against before anything of it is believed. */
export interface ResultFacts {
  readonly nonce: string;
  readonly paths: readonly string[];
  readonly issued: EpochMs;
  readonly deadline: EpochMs;
  readonly crawlDelayMs: number;
  readonly pageLinks: number;
}

/** Clocks of volunteers may be wrong by so much. */
const clockErrorMs = 300_000;
/** Times of a result are whole seconds. */
const roundingMs = 2000;

/**
 * Holds a well-formed result against its unit.
 *
 * @returns `malformed` if it is none of this unit; `refused` for another nonce, times outside of the lease; `impolite` if its requests came
 * faster than the unit allows: then it was made up, or made by a program that is to be kept from sites; undefined if all is well
 */
export function checkResult(
  result: WorkResult,
  { nonce, paths, issued, deadline, crawlDelayMs, pageLinks }: ResultFacts,
  now: EpochMs,
): "malformed" | "refused" | "impolite" | undefined {
  if (result.nonce !== nonce) return "refused";
  const known = new Set(paths);
  if (result.pages.length !== paths.length || result.pages.some(({ path }) => !known.has(path))) return "malformed";
  if (result.pages.some(({ links }) => links.length > pageLinks)) return "malformed";
  const [startedMs, endedMs] = [result.startedAt * 1000, result.endedAt * 1000];
  if (startedMs < issued - clockErrorMs || endedMs > Math.min(now, deadline) + clockErrorMs) return "refused";
  // A clock that is wrong is so for both times: no more time can have passed than since the copy was given out.
  if (endedMs - startedMs > now - issued + roundingMs) return "refused";
  const requests = result.pages.filter(({ answer }) => typeof answer === "number" || answer === "too-large").length;
  return requests * crawlDelayMs > endedMs - startedMs + roundingMs ? "impolite" : undefined;
}
