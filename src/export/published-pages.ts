import { PageReader } from "./page-reader.ts";
import { isGone, type PublishedPage, type RememberedPage } from "./published-page.ts";

/** Pages in path order, read a part at a time. */
export interface PageStream {
  /** The page that is next, once {@link fill} was awaited; undefined at the end. */
  readonly head: PublishedPage | undefined;
  /** Goes to the next page. @returns whether {@link fill} must be awaited before {@link head} is read */
  step(): boolean;
  /** Reads on until there is a page, or the end. @throws TidemarkError `state-corrupt` */
  fill(): Promise<void>;
}

/** What one of several lists says of a path. */
class Source {
  readonly #reader: PageReader;
  needsFill = true;

  constructor(reader: PageReader) {
    this.#reader = reader;
  }

  get head(): RememberedPage | undefined {
    return this.#reader.head;
  }

  step(): void {
    this.needsFill = this.#reader.step();
  }

  async fill(): Promise<void> {
    if (!this.needsFill) return;
    await this.#reader.fill();
    this.needsFill = false;
  }

  close(): void {
    this.#reader.close();
  }
}

/**
 * What is remembered of all pages: one list of all of them, and shorter ones of what became of some
 * later. One merge in path order, in which the newest list wins; memory is some blocks a list.
 */
export class PublishedPages implements PageStream, Disposable {
  readonly #sources: readonly Source[];
  readonly #keepsGone: boolean;
  #head: RememberedPage | undefined;

  /**
   * @param paths - files, the oldest first
   * @param keepsGone - whether {@link record} also gives pages that are there no more
   * @throws TidemarkError `state-corrupt`
   */
  constructor(paths: readonly string[], keepsGone: boolean = false) {
    this.#keepsGone = keepsGone;
    const sources: Source[] = [];
    this.#sources = sources;
    try {
      for (const path of paths) sources.push(new Source(new PageReader(path)));
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  get head(): PublishedPage | undefined {
    return this.#head === undefined || isGone(this.#head) ? undefined : this.#head;
  }

  /** Like {@link head}, and also a page that is there no more. */
  get record(): RememberedPage | undefined {
    return this.#head;
  }

  step(): boolean {
    const path = this.#head?.path;
    for (const source of this.#sources) if (source.head?.path === path) source.step();
    return !this.#settle();
  }

  async fill(): Promise<void> {
    do {
      for (const source of this.#sources) await source.fill();
    } while (!this.#settle());
  }

  /** Stops reading. */
  [Symbol.dispose](): void {
    for (const source of this.#sources) source.close();
  }

  /** Finds the next page. @returns false if a list must be read on before that is known */
  #settle(): boolean {
    for (;;) {
      let next: RememberedPage | undefined;
      for (const source of this.#sources) {
        if (source.needsFill) return false;
        const { head } = source;
        // A later list wins: they are gone through from the oldest to the newest.
        if (head !== undefined && (next === undefined || head.path <= next.path)) next = head;
      }
      this.#head = next;
      if (next === undefined || this.#keepsGone || !isGone(next)) return true;
      for (const source of this.#sources) if (source.head?.path === next.path) source.step();
    }
  }
}
