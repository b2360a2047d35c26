import type { Random } from "../../src/core/random.ts";
import type { EpochMs, EpochSeconds } from "../../src/core/time.ts";

/** During which time a page changes, and how often. */
export interface CourseShape {
  /** The page is there from then on. */
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  /** Mean time between two changes. */
  readonly meanSeconds: number;
}

/** When a page changes: at whole seconds. */
export class PageCourse {
  readonly path: string;
  readonly #times: Float64Array;

  /** @param times - when each version came to be, ascending */
  constructor(path: string, times: Float64Array) {
    this.path = path;
    this.#times = times;
  }

  /** The version that is served, from 0. */
  versionAt(now: EpochMs): number {
    const second = now / 1000;
    let [low, high] = [0, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#times[middle] ?? 0) <= second) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** When a version came to be; Infinity if it never does. */
  beginOf(version: number): EpochSeconds {
    return this.#times[version] ?? Number.POSITIVE_INFINITY;
  }
}

/** Draws the course of a page that changes by a Poisson process. */
export function drawCourse(path: string, { from, to, meanSeconds }: CourseShape, random: Random): PageCourse {
  const times = [from];
  for (let at = from; ; ) {
    at += -Math.log(1 - random()) * meanSeconds;
    const second = Math.max(Math.ceil(at), (times.at(-1) ?? from) + 1);
    if (second > to) break;
    times.push(second);
  }
  return new PageCourse(path, Float64Array.from(times));
}
