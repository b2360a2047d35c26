import { grow } from "../../core/index.ts";
import type { BlockPlace } from "./block-files.ts";

/** A block without a number. */
export const noBlock = -1;

/** What is known of each block on disk, in 36 bytes. A block's number is used again once it is free. */
export class BlockTable {
  #words: Int32Array = new Int32Array(0);
  #offsets: Float64Array = new Float64Array(0);
  #firsts: Float64Array = new Float64Array(0);
  #free: number[] = [];
  #size = 0;

  /** Numbers that blocks have or had are below it. */
  get size(): number {
    return this.#size;
  }

  /** Adds a block. @param at - its number, if that is given */
  add(place: BlockPlace, count: number, first: number, at: number = this.#free.pop() ?? this.#size): number {
    this.#reserve(at + 1);
    this.#words.set([place.segment, count, 0, 0, noBlock], at * 5);
    this.#offsets[at] = place.offset;
    this.#firsts[at] = first;
    return at;
  }

  /** Frees all numbers but those in use, after blocks were added with given ones. */
  freeAllBut(used: (block: number) => boolean): void {
    this.#free = [];
    for (let block = this.#size - 1; block >= 0; block--) if (!used(block)) this.#free.push(block);
  }

  free(block: number): void {
    this.#free.push(block);
  }

  placeOf(block: number): BlockPlace {
    return { segment: this.#words[block * 5] as number, offset: this.#offsets[block] as number };
  }

  move(block: number, place: BlockPlace): void {
    this.#words[block * 5] = place.segment;
    this.#offsets[block] = place.offset;
  }

  /** Notes that a block was written elsewhere, with so many more URLs. */
  extend(block: number, place: BlockPlace, more: number): void {
    this.move(block, place);
    this.#words[block * 5 + 1] = this.countOf(block) + more;
  }

  countOf(block: number): number {
    return this.#words[block * 5 + 1] as number;
  }

  takenOf(block: number): number {
    return this.#words[block * 5 + 2] as number;
  }

  /** Notes how many were taken. @param first - number of the next */
  take(block: number, taken: number, first: number): void {
    this.#words[block * 5 + 2] = taken;
    this.#firsts[block] = first;
  }

  doneOf(block: number): number {
    return this.#words[block * 5 + 3] as number;
  }

  finish(block: number, done: number): void {
    this.#words[block * 5 + 3] = done;
  }

  nextOf(block: number): number {
    return this.#words[block * 5 + 4] as number;
  }

  link(block: number, next: number): void {
    this.#words[block * 5 + 4] = next;
  }

  firstOf(block: number): number {
    return this.#firsts[block] as number;
  }

  #reserve(size: number): void {
    this.#size = Math.max(this.#size, size);
    this.#words = grow(this.#words, size * 5);
    this.#offsets = grow(this.#offsets, size);
    this.#firsts = grow(this.#firsts, size);
  }
}
