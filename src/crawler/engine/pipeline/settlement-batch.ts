import type { Settlement } from "../../../core/index.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";

const maxBatchItems = 10_000;
/** A visit that is killed has lost no more than it did in this time. */
const maxBatchAgeMs = 1000;

/**
 * Collects results and makes them durable a batch at a time: first the bodies, then what is
 * remembered of them. Fetching goes on meanwhile; it waits only when a second batch is full.
 */
export class SettlementBatch {
  readonly #visit: CrawlVisit;
  #collected: Settlement[] = [];
  #since: number;
  #underWay: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#since = visit.ports.timing.now();
  }

  /** Adds a result. Rejects if an earlier batch could not be made durable. */
  async add(settlement: Settlement): Promise<void> {
    this.#throwFailure();
    this.#collected.push(settlement);
    const full = this.#collected.length >= maxBatchItems;
    if (!full && this.#visit.ports.timing.now() - this.#since < maxBatchAgeMs) return;
    if (this.#underWay !== undefined) {
      if (!full) return;
      await this.#underWay;
      this.#throwFailure();
    }
    // Others that waited as well find the batch taken.
    if (this.#collected.length > 0 && this.#underWay === undefined) this.#begin();
  }

  /** Makes everything that was added durable. */
  async finish(): Promise<void> {
    await this.#underWay;
    this.#throwFailure();
    if (this.#collected.length === 0) return;
    this.#begin();
    await this.#underWay;
    this.#throwFailure();
  }

  #begin(): void {
    const batch = this.#collected;
    this.#collected = [];
    this.#since = this.#visit.ports.timing.now();
    this.#underWay = this.#commit(batch)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  async #commit(batch: readonly Settlement[]): Promise<void> {
    const { bodies, work } = this.#visit.ports;
    if (batch.some(({ kind }) => kind !== "postponed")) await bodies.flush();
    work.settle(batch, Math.floor(this.#visit.ports.timing.now() / 1000));
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
