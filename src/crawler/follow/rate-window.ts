import type { EpochMs } from "../../core/index.ts";

const seconds = 60;

/** Counts events of the last minute. */
export class RateWindow {
  readonly #counts: Float64Array = new Float64Array(seconds);
  #newest: number;
  readonly #since: EpochMs;

  /** @param now - start of counting */
  constructor(now: EpochMs) {
    this.#since = now;
    this.#newest = Math.floor(now / 1000);
  }

  add(count: number, now: EpochMs): void {
    this.#advance(now);
    const at = this.#newest % seconds;
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
  }

  /** Events per second over the last minute, or since the start if that is shorter. O(1). */
  perSecond(now: EpochMs): number {
    this.#advance(now);
    const sum = this.#counts.reduce((all, count) => all + count, 0);
    return sum / Math.max(1, Math.min(seconds, (now - this.#since) / 1000));
  }

  #advance(now: EpochMs): void {
    const second = Math.floor(now / 1000);
    // If the clock is set back, the window keeps its latest second.
    for (let left = Math.min(seconds, second - this.#newest); left > 0; left--)
      this.#counts[(second - left + 1) % seconds] = 0;
    this.#newest = Math.max(this.#newest, second);
  }
}
