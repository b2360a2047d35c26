import type { EpochMs } from "../../../src/core/time.ts";
import type { LivingPage } from "./living-web.ts";

/** From when to when. */
export interface Span {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** What it comes to if each page is asked for at one interval. */
export interface Polling {
  readonly intervalMs: number;
  /** For pages, and for the robots.txt of each site once a day. */
  readonly requests: number;
  readonly freshness: number;
}

const dayMs = 86_400_000;

/** Time for which a copy is fresh between two moments after a change, if it is made anew at any phase of an interval. */
function freshBetween(fromMs: number, toMs: number, intervalMs: number): number {
  const until = (afterMs: number): number =>
    afterMs < intervalMs ? (afterMs * afterMs) / (2 * intervalMs) : afterMs - intervalMs / 2;
  return until(toMs) - until(fromMs);
}

/** Asks for each page at one interval, its phase at random: the mean of all phases, from when the pages really changed. */
export function pollAt(intervalMs: number, pages: readonly LivingPage[], { from, to }: Span): Polling {
  let freshMs = 0;
  for (const { versions } of pages)
    for (const [number, { at }] of versions.entries()) {
      // The first one was there long before.
      const begun = number === 0 ? Number.NEGATIVE_INFINITY : at;
      const ended = Math.min(to, versions[number + 1]?.at ?? to);
      const first = Math.max(from, begun);
      if (ended <= first) continue;
      freshMs += number === 0 ? ended - first : freshBetween(first - begun, ended - begun, intervalMs);
    }
  const spanMs = to - from;
  const sites = new Set(pages.map(({ site }) => site)).size;
  const requests = (pages.length * spanMs) / intervalMs + (sites * spanMs) / dayMs;
  return { intervalMs, requests, freshness: freshMs / (pages.length * spanMs) };
}

/** The fewest requests with which one interval for all pages keeps copies as fresh. */
export function pollAsFresh(freshness: number, pages: readonly LivingPage[], span: Span): Polling {
  let [short, long] = [1000, 10 * (span.to - span.from)];
  for (let step = 0; step < 60; step++) {
    const middle = Math.sqrt(short * long);
    if (pollAt(middle, pages, span).freshness >= freshness) short = middle;
    else long = middle;
  }
  return pollAt(short, pages, span);
}
