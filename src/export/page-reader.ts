import { closeSync, openSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { type Block, decodeBlock, readBlocks, readPacked, unpackOptions } from "./page-blocks.ts";
import type { RememberedPage } from "./published-page.ts";
import { pagesCorrupt } from "./state-corrupt.ts";

/** Steps through a file of remembered pages in path order; memory is a few blocks. */
export class PageReader {
  readonly #path: string;
  readonly #fd: number;
  readonly #blocks: Block[];
  #next = 0;
  #pages: RememberedPage[] = [];
  #at = 0;
  #lastPath = "";
  #isClosed = false;

  /** @throws TidemarkError `state-corrupt` */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#fd = openSync(path, "r");
    } catch (error) {
      throw pagesCorrupt(path, error);
    }
    try {
      this.#blocks = readBlocks(this.#fd);
    } catch (error) {
      this.close();
      throw pagesCorrupt(path, error);
    }
  }

  /** The page that is next, once {@link fill} was awaited; undefined at the end. */
  get head(): RememberedPage | undefined {
    return this.#pages[this.#at];
  }

  /** Goes to the next page. @returns whether {@link fill} must be awaited before {@link head} is read */
  step(): boolean {
    this.#at += 1;
    return this.#at >= this.#pages.length;
  }

  /** Reads on, if there is anything. @throws TidemarkError `state-corrupt` */
  async fill(): Promise<void> {
    this.#pages = [];
    this.#at = 0;
    const block = this.#blocks[this.#next];
    if (block === undefined) return;
    try {
      this.#next += 1;
      // Unpacking a block takes less time than the way to another thread and back.
      const bytes = inflateSync(readPacked(this.#fd, block), unpackOptions);
      this.#pages = decodeBlock(bytes, block);
      if (this.#next > 1 && block.firstPath <= this.#lastPath) throw new RangeError("blocks out of order");
      this.#lastPath = this.#pages.at(-1)?.path ?? "";
    } catch (error) {
      throw pagesCorrupt(this.#path, error);
    }
  }

  /** Stops reading. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#fd);
  }
}
