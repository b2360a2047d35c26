/**
 * Numbers by keys, which are hashes of up to 53 bits: at most so many, from 0 on. Open addressing in arrays of fixed size, so that nothing is
 * allocated for those who come and go.
 */
export class ClientIndex {
  readonly #keys: Float64Array;
  /** One more than the number; 0 where nobody is. */
  readonly #slots: Int32Array;
  readonly #mask: number;
  #size = 0;

  constructor(most: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * most));
    this.#keys = new Float64Array(most);
    this.#slots = new Int32Array(slots);
    this.#mask = slots - 1;
  }

  get size(): number {
    return this.#size;
  }

  find(key: number): number | undefined {
    for (let at = this.#home(key); ; at = (at + 1) & this.#mask) {
      const number = (this.#slots[at] as number) - 1;
      if (number < 0) return undefined;
      if (this.#keys[number] === key) return number;
    }
  }

  /** Gives a number that is free a key that nobody has. */
  set(key: number, number: number): void {
    let at = this.#home(key);
    while (this.#slots[at] !== 0) at = (at + 1) & this.#mask;
    this.#slots[at] = number + 1;
    this.#keys[number] = key;
    this.#size++;
  }

  /** Frees a number that has a key. */
  delete(number: number): void {
    let hole = this.#home(this.#keys[number] as number);
    while (this.#slots[hole] !== number + 1) hole = (hole + 1) & this.#mask;
    // Who stands behind the hole is moved into it, unless its own place comes after it.
    for (let at = (hole + 1) & this.#mask; this.#slots[at] !== 0; at = (at + 1) & this.#mask) {
      const home = this.#home(this.#keys[(this.#slots[at] as number) - 1] as number);
      if (((at - home) & this.#mask) < ((at - hole) & this.#mask)) continue;
      this.#slots[hole] = this.#slots[at] as number;
      hole = at;
    }
    this.#slots[hole] = 0;
    this.#size--;
  }

  #home(key: number): number {
    const mixed = Math.imul(key | 0, 0x9e3779b1);
    return (mixed ^ (mixed >>> 15)) & this.#mask;
  }
}
