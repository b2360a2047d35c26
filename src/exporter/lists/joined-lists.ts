import type { ListedPage, ListedPageSource } from "./listed-page.ts";

/** Two lists as one, in path order; where both have a path, the second counts. It disposes of both. */
export class JoinedLists implements ListedPageSource {
  readonly #lists: readonly [Pages, Pages];

  constructor(first: ListedPageSource, second: ListedPageSource) {
    this.#lists = [new Pages(first), new Pages(second)];
  }

  get isComplete(): boolean {
    return this.#lists.every(({ source }) => source.isComplete);
  }

  get kept(): ReadonlySet<string> {
    return new Set(this.#lists.flatMap(({ source }) => [...source.kept]));
  }

  async next(): Promise<readonly ListedPage[] | undefined> {
    const [first, second] = this.#lists;
    const pages: ListedPage[] = [];
    // A batch may be passed over whole.
    while (pages.length === 0) {
      await first.fill();
      await second.fill();
      if (first.head === undefined && second.head === undefined) return undefined;
      this.#merge(pages);
    }
    return pages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#lists[0].source[Symbol.asyncDispose]();
    } finally {
      await this.#lists[1].source[Symbol.asyncDispose]();
    }
  }

  // As far as both are known.
  #merge(pages: ListedPage[]): void {
    const [first, second] = this.#lists;
    while (first.isKnown && second.isKnown) {
      const [a, b] = [first.head, second.head];
      if (a !== undefined && (b === undefined || a.path <= b.path)) {
        if (a.path !== b?.path && !second.source.kept.has(a.path)) pages.push(a);
        first.step();
      } else if (b !== undefined) {
        pages.push(b);
        second.step();
      } else return;
    }
  }
}

class Pages {
  readonly source: ListedPageSource;
  #batch: readonly ListedPage[] = [];
  #at = 0;
  #isEnded = false;

  constructor(source: ListedPageSource) {
    this.source = source;
  }

  get head(): ListedPage | undefined {
    return this.#batch[this.#at];
  }

  /** Whether {@link head} is the next page, or undefined because there is none. */
  get isKnown(): boolean {
    return this.#isEnded || this.#at < this.#batch.length;
  }

  step(): void {
    this.#at += 1;
  }

  async fill(): Promise<void> {
    while (!this.isKnown) {
      const batch = await this.source.next();
      this.#isEnded = batch === undefined;
      this.#batch = batch ?? [];
      this.#at = 0;
    }
  }
}
