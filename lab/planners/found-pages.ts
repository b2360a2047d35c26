import type { CycleFacts } from "../edwards/cycle-model.ts";

/** New pages by new pages may be no more than this, or their number would have no end. */
const mostByNew = 0.99;

/** Counts what a cycle found, for the plan of the next: how many pages become known by fetches, and by themselves. */
export class FoundPages {
  readonly #fetches = [0, 0];
  readonly #found = [0, 0];
  #arrived = 0;

  /**
   * Adds a fetch.
   *
   * @param isNew - whether the page had never been fetched before
   * @param found - pages that it made known
   */
  noteFetch(isNew: boolean, found: number): void {
    const kind = isNew ? 1 : 0;
    this.#fetches[kind] = (this.#fetches[kind] ?? 0) + 1;
    this.#found[kind] = (this.#found[kind] ?? 0) + found;
  }

  /** Adds pages that became known without a fetch: from sitemaps, archives, lists. */
  noteArrivals(pages: number): void {
    this.#arrived += pages;
  }

  /** What was counted as facts of a cycle; 0 of what was never fetched. */
  factsOver(periods: number): Required<Pick<CycleFacts, "oldFinds" | "newFinds" | "arrivals">> {
    const mean = (kind: number): number => (this.#found[kind] ?? 0) / Math.max(1, this.#fetches[kind] ?? 0);
    return { oldFinds: mean(0), newFinds: Math.min(mostByNew, mean(1)), arrivals: this.#arrived / periods };
  }
}
