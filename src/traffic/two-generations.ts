/**
 * A map of bounded size. When the younger of its two generations is full, the older one is let go: what has not been asked
 * for since at least as many others came.
 */
export class TwoGenerations<V> {
  readonly #most: number;
  readonly #onLeave: (value: V) => void;
  #young = new Map<number, V>();
  #old = new Map<number, V>();

  /**
   * @param most - of one generation
   * @param onLeave - told each value once, when it is let go
   */
  constructor(most: number, onLeave: (value: V) => void) {
    this.#most = most;
    this.#onLeave = onLeave;
  }

  get(key: number): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, old);
    return old;
  }

  set(key: number, value: V): void {
    if (this.#young.size >= this.#most) this.#turn();
    this.#young.set(key, value);
  }

  *values(): Generator<V, void, void> {
    yield* this.#old.values();
    yield* this.#young.values();
  }

  /** Lets all go. */
  clear(): void {
    this.#turn();
    this.#turn();
  }

  #turn(): void {
    for (const value of this.#old.values()) this.#onLeave(value);
    this.#old = this.#young;
    this.#young = new Map();
  }
}
