import type { EpochMs } from "../../core/index.ts";

const seconds = 60;

/** What was counted within the last minute. */
export class RateWindow {
  readonly #counts: Float64Array = new Float64Array(seconds);
  #newest: number;
  readonly #since: EpochMs;

  /** @param now - when counting begins */
  constructor(now: EpochMs) {
    this.#since = now;
    this.#newest = Math.floor(now / 1000);
  }

  add(count: number, now: EpochMs): void {
    this.#advance(now);
    const at = this.#newest % seconds;
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
  }

  /** A second, over the last minute, or as long as was counted. O(1). */
  perSecond(now: EpochMs): number {
    this.#advance(now);
    const sum = this.#counts.reduce((all, count) => all + count, 0);
    return sum / Math.max(1, Math.min(seconds, (now - this.#since) / 1000));
  }

  #advance(now: EpochMs): void {
    const second = Math.floor(now / 1000);
    // A clock that was set back goes on with the second that it had.
    for (let left = Math.min(seconds, second - this.#newest); left > 0; left--)
      this.#counts[(second - left + 1) % seconds] = 0;
    this.#newest = Math.max(this.#newest, second);
  }
}
