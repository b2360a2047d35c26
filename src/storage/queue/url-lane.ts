import type { Buffer } from "node:buffer";
import { type BlockTable, noBlock } from "./block-table.ts";
import { type NumberedUrl, UrlTail } from "./url-tail.ts";

/** URLs of a block that are in memory. */
export interface LoadedBlock {
  readonly block: number;
  readonly urls: readonly NumberedUrl[];
  readonly bytes: number;
}

/** The URLs of a site that have one priority: blocks on disk, then those that no block has yet. First in, first out. */
export class UrlLane {
  readonly site: number;
  readonly lane: number;
  #firstBlock = noBlock;
  #lastBlock = noBlock;
  /** URLs that wait. */
  count = 0;
  tail: UrlTail | undefined;
  /** The first block, while it is in memory. */
  loaded: LoadedBlock | undefined;

  constructor(site: number, lane: number) {
    this.site = site;
    this.lane = lane;
  }

  get firstBlock(): number {
    return this.#firstBlock;
  }

  get lastBlock(): number {
    return this.#lastBlock;
  }

  /** The number of the URL that is next; Infinity if none waits. */
  firstNumber(table: BlockTable): number {
    if (this.#firstBlock !== noBlock) return table.firstOf(this.#firstBlock);
    return this.tail?.first ?? Number.POSITIVE_INFINITY;
  }

  add(number: number, url: Buffer): void {
    this.tail ??= new UrlTail();
    this.tail.add(number, url);
    this.count++;
  }

  /** Puts a block behind the others. */
  append(block: number, table: BlockTable): void {
    if (this.#lastBlock === noBlock) this.#firstBlock = block;
    else table.link(this.#lastBlock, block);
    this.#lastBlock = block;
  }

  /** Takes out a block, wherever it is; without effect if it is not there. O(blocks before it). */
  remove(block: number, table: BlockTable): void {
    let before = noBlock;
    for (let at = this.#firstBlock; at !== noBlock; before = at, at = table.nextOf(at)) {
      if (at !== block) continue;
      const next = table.nextOf(at);
      if (before === noBlock) this.#firstBlock = next;
      else table.link(before, next);
      if (next === noBlock) this.#lastBlock = before;
      table.link(block, noBlock);
      return;
    }
  }

  *blocks(table: BlockTable): Generator<number, void, void> {
    for (let at = this.#firstBlock; at !== noBlock; at = table.nextOf(at)) yield at;
  }
}
