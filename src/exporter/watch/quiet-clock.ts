/** Tells when it has been quiet for long enough, or restless for too long. Times are milliseconds of one clock. */
export class QuietClock {
  readonly #settleMs: number;
  readonly #maxSettleMs: number;
  #firstMs: number | undefined;
  #lastMs = 0;

  constructor(settleMs: number, maxSettleMs: number) {
    this.#settleMs = settleMs;
    this.#maxSettleMs = maxSettleMs;
  }

  /** Notes a change. Gives whether it is the first. */
  note(nowMs: number): boolean {
    const isFirst = this.#firstMs === undefined;
    this.#firstMs ??= nowMs;
    this.#lastMs = nowMs;
    return isFirst;
  }

  /** When the changes that were noted have settled, if none follows; undefined if there was none. */
  get settledAtMs(): number | undefined {
    if (this.#firstMs === undefined) return undefined;
    return Math.min(this.#lastMs + this.#settleMs, this.#firstMs + this.#maxSettleMs);
  }

  reset(): void {
    this.#firstMs = undefined;
  }
}
