/** Times that a page got no answer, until nobody is asked for it again. */
const maxLeft = 3;
const maxPages = 1_000_000;

/** Counts how often volunteers, or the project itself, asked for a page and got no answer. What volunteers lost or gave back does not count. */
export class LeftPages {
  readonly #times = new Map<string, number>();

  note(origin: string, paths: Iterable<string>): void {
    if (this.#times.size > maxPages) this.#times.clear();
    for (const path of paths) this.#times.set(origin + path, this.#timesOf(origin, path) + 1);
  }

  forget(origin: string, path: string): void {
    this.#times.delete(origin + path);
  }

  /** Whether nobody is asked for a page again. */
  isOver(origin: string, path: string): boolean {
    return this.#timesOf(origin, path) >= maxLeft;
  }

  /** Whether the next time without an answer is the last one. */
  isNearlyOver(origin: string, path: string): boolean {
    return this.#timesOf(origin, path) === maxLeft - 1;
  }

  #timesOf(origin: string, path: string): number {
    return this.#times.get(origin + path) ?? 0;
  }
}
