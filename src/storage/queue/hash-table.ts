import { lowBitsOf } from "./url-hash.ts";

/** A set of numbers of URLs in memory, of a fixed size: 8 bytes a place, three quarters of which may be used. */
export class HashTable {
  readonly #places: Float64Array;
  readonly #mask: number;
  #size = 0;

  /** @param bytes - at most so many; the next power of two below is taken */
  constructor(bytes: number) {
    const places = 2 ** Math.max(6, Math.floor(Math.log2(bytes / 8)));
    this.#places = new Float64Array(places);
    this.#mask = places - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** How many it takes. */
  get capacity(): number {
    return Math.floor(this.#places.length * 0.75);
  }

  /** How many more it takes. */
  get room(): number {
    return this.capacity - this.#size;
  }

  has(hashed: number): boolean {
    return this.#places[this.#placeOf(hashed)] === hashed;
  }

  add(hashed: number): void {
    const place = this.#placeOf(hashed);
    if (this.#places[place] === hashed) return;
    if (this.room <= 0) throw new RangeError("the table is full");
    this.#places[place] = hashed;
    this.#size++;
  }

  /** All of it in order. */
  sorted(): Float64Array {
    const all = this.#places.filter((hashed) => hashed !== 0);
    return all.sort();
  }

  clear(): void {
    this.#places.fill(0);
    this.#size = 0;
  }

  /** Where it is, or where it may go. */
  #placeOf(hashed: number): number {
    let place = lowBitsOf(hashed) & this.#mask;
    for (;;) {
      const there = this.#places[place] as number;
      if (there === hashed || there === 0) return place;
      place = (place + 1) & this.#mask;
    }
  }
}
