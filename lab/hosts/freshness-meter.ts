import type { EpochMs } from "../../src/core/time.ts";
import type { PageCourse } from "./page-course.ts";

interface Held {
  version: number;
  since: EpochMs;
}

/** Measures, by the web's own knowledge, for which share of the time what a crawler holds is what is served. */
export class FreshnessMeter {
  readonly #from: EpochMs;
  readonly #held = new Map<PageCourse, Held>();
  readonly #freshMs = new Map<PageCourse, number>();

  /** @param from - time before is not measured */
  constructor(from: EpochMs) {
    this.#from = from;
  }

  /** Notes that a crawler was given a page, or told that it has not changed. */
  note(page: PageCourse, now: EpochMs): void {
    this.#count(page, now);
    this.#held.set(page, { version: page.versionAt(now), since: now });
  }

  /** Mean freshness of these pages until now, from 0 to 1. */
  freshnessOf(pages: readonly PageCourse[], now: EpochMs): number {
    let freshMs = 0;
    for (const page of pages) {
      this.#count(page, now);
      freshMs += this.#freshMs.get(page) ?? 0;
    }
    return freshMs / (pages.length * (now - this.#from));
  }

  #count(page: PageCourse, now: EpochMs): void {
    const held = this.#held.get(page);
    if (held === undefined) return;
    const begun = Math.max(held.since, this.#from);
    const ended = Math.min(now, page.beginOf(held.version + 1) * 1000);
    held.since = now;
    if (ended > begun) this.#freshMs.set(page, (this.#freshMs.get(page) ?? 0) + ended - begun);
  }
}
