/** A sample of many paths, evenly spread over their sequence, deterministic and small in memory. */
export class PathSample {
  readonly #size: number;
  #kept: string[] = [];
  #stride = 1;
  #count = 0;

  /** @param size - number of paths, 1 or more */
  constructor(size: number) {
    this.#size = size;
  }

  /** Offers a path. */
  add(path: string): void {
    if (this.#count % this.#stride === 0) this.#kept.push(path);
    this.#count += 1;
    if (this.#kept.length < 2 * this.#size) return;
    this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }

  /** At most `size` paths; all, if no more were offered. */
  get paths(): readonly string[] {
    const { length } = this.#kept;
    if (length <= this.#size) return this.#kept;
    return Array.from({ length: this.#size }, (_, at) => this.#kept[Math.floor((at * length) / this.#size)] ?? "");
  }
}
