import { createRandom, type Page, pickInteger, type Random } from "../core/index.ts";

/** A seed that differs each time. */
export function drawSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/**
 * A uniform random sample of a sequence of pages; memory is that of the sample (J. S. Vitter, "Random Sampling with a
 * Reservoir", 1985, algorithm R).
 */
export class PageSample<T extends Page = Page> {
  readonly #size: number;
  readonly #random: Random;
  readonly #pages: T[] = [];
  #seen = 0;

  /** @param size - 1 or more; @param seed - an integer; the same pages and seed give the same sample */
  constructor(size: number, seed: number) {
    this.#size = size;
    this.#random = createRandom(seed);
  }

  get seen(): number {
    return this.#seen;
  }

  get pages(): readonly T[] {
    return [...this.#pages].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  offer(page: T): void {
    this.#seen += 1;
    if (this.#pages.length < this.#size) this.#pages.push(page);
    else {
      const at = pickInteger(this.#random, this.#seen);
      if (at < this.#size) this.#pages[at] = page;
    }
  }
}
