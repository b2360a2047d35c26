import type { FoundUrl, Settlement } from "../../../core/index.ts";
import type { CrawlVisit } from "../discovery/crawl-visit.ts";

const maxBatchItems = 5_000;
const maxBatchLinks = 50_000;
/** A killed visit has lost no more than it did in this time. */
const maxBatchAgeMs = 1000;

/** A URL that was found twice: by the shorter way, with what both add to its rank. */
function merge(a: FoundUrl, b: FoundUrl): FoundUrl {
  const share = (a.share ?? 0) + (b.share ?? 0);
  return { ...a, depth: Math.min(a.depth, b.depth), ...(share > 0 ? { share } : {}) };
}

/**
 * Collects results and the links that were found, and makes them durable together: first the bodies, then the rest.
 * Fetching goes on meanwhile; it waits only when a second batch is full.
 */
export class SettlementBatch {
  readonly #visit: CrawlVisit;
  #settlements: Settlement[] = [];
  /** By path. */
  #found = new Map<string, FoundUrl>();
  #since: number;
  /** What {@link #underWay} makes durable. */
  #committed: readonly Settlement[] = [];
  #underWay: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#since = visit.ports.timing.now();
  }

  /** Adds the links of a page. */
  link(found: readonly FoundUrl[]): void {
    for (const url of found) {
      const known = this.#found.get(url.path);
      this.#found.set(url.path, known === undefined ? url : merge(known, url));
    }
  }

  /** Whether a result of a path was added and is not durable yet. */
  holds(path: string): boolean {
    const isOfPath = ({ url }: Settlement): boolean => url.path === path;
    return this.#settlements.some(isOfPath) || this.#committed.some(isOfPath);
  }

  /** Whether everything that was added is durable. */
  get isEmpty(): boolean {
    return this.#settlements.length === 0 && this.#found.size === 0 && this.#underWay === undefined;
  }

  /** Adds a result. Rejects if an earlier batch could not be made durable. */
  async add(settlement: Settlement): Promise<void> {
    this.#throwFailure();
    this.#settlements.push(settlement);
    const isFull = this.#settlements.length >= maxBatchItems || this.#found.size >= maxBatchLinks;
    const maxAgeMs = this.#visit.plan?.settlesAtOnce === true ? 0 : maxBatchAgeMs;
    if (!isFull && this.#visit.ports.timing.now() - this.#since < maxAgeMs) return;
    if (this.#underWay !== undefined) {
      if (!isFull) return;
      await this.#underWay;
      this.#throwFailure();
    }
    // Others that waited as well find the batch taken.
    if (this.#settlements.length > 0 && this.#underWay === undefined) this.#begin();
  }

  /** Makes everything that was added durable. */
  async finish(): Promise<void> {
    await this.#underWay;
    this.#throwFailure();
    if (this.#settlements.length === 0 && this.#found.size === 0) return;
    this.#begin();
    await this.#underWay;
    this.#throwFailure();
  }

  #begin(): void {
    const settlements = this.#settlements;
    const found = [...this.#found.values()];
    this.#settlements = [];
    this.#committed = settlements;
    this.#found = new Map();
    this.#since = this.#visit.ports.timing.now();
    this.#underWay = this.#commit(settlements, found)
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#underWay = undefined;
        this.#committed = [];
      });
  }

  async #commit(settlements: readonly Settlement[], found: readonly FoundUrl[]): Promise<void> {
    const { bodies, urls, timing } = this.#visit.ports;
    // Also of a page that is not held: a visit that died may have kept its body and not remembered that.
    for (const settlement of settlements) {
      if (settlement.kind === "removed") await bodies.remove(settlement.url.path, settlement.reason);
      else if (settlement.kind === "alias") await bodies.remove(settlement.url.path, undefined);
    }
    if (settlements.some(({ kind }) => kind !== "postponed")) await bodies.flush();
    urls.settle(settlements, found, Math.floor(timing.now() / 1000));
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
