const firstCapacity = 1 << 16;
const probes = 256;

/**
 * The last answer for each of many keys, as a number, in 24 bytes a key. It grows up to a bound; keys that come later are
 * not kept.
 */
export class AnswerTable {
  readonly #maxCapacity: number;
  #keys = new Float64Array(firstCapacity);
  #answers = new Uint32Array(firstCapacity);
  #size = 0;
  #refused = 0;

  /** @param maxCapacity - a power of two; half of it is used */
  constructor(maxCapacity: number) {
    this.#maxCapacity = maxCapacity;
  }

  /** How often a key was not kept. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Keeps an answer.
   *
   * @param key - a hash of 53 bits, not 0
   * @returns the answer before; undefined if there was none, or the key is not kept
   */
  replace(key: number, answer: number): number | undefined {
    if (this.#size >= this.#keys.length / 2 && this.#keys.length < this.#maxCapacity) this.#grow();
    const at = this.#slotOf(key);
    if (at < 0 || (this.#keys[at] === 0 && this.#size >= this.#keys.length / 2)) {
      this.#refused++;
      return undefined;
    }
    const isNew = this.#keys[at] === 0;
    const before = this.#answers[at] as number;
    this.#keys[at] = key;
    this.#answers[at] = answer;
    if (isNew) this.#size++;
    return isNew ? undefined : before;
  }

  /** Where a key stands or may stand; -1 if all places near its own are taken. */
  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    for (let at = key & mask, left = probes; left > 0; at = (at + 1) & mask, left--)
      if (this.#keys[at] === key || this.#keys[at] === 0) return at;
    return -1;
  }

  #grow(): void {
    const [keys, answers] = [this.#keys, this.#answers];
    this.#keys = new Float64Array(2 * keys.length);
    this.#answers = new Uint32Array(2 * keys.length);
    this.#size = 0;
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      const to = key === 0 ? -1 : this.#slotOf(key);
      if (to < 0) continue;
      this.#keys[to] = key;
      this.#answers[to] = answers[at] as number;
      this.#size++;
    }
  }
}
