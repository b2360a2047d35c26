/** Some of many paths, evenly spread over those that came, in little memory and the same each time. */
export class PathSample {
  readonly #size: number;
  #kept: string[] = [];
  #stride = 1;
  #count = 0;

  /** @param size - how many paths are wanted, 1 or more */
  constructor(size: number) {
    this.#size = size;
  }

  /** Takes a path. */
  add(path: string): void {
    if (this.#count % this.#stride === 0) this.#kept.push(path);
    this.#count += 1;
    if (this.#kept.length < 2 * this.#size) return;
    this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }

  /** At most as many as are wanted; all, if no more came. */
  get paths(): readonly string[] {
    const { length } = this.#kept;
    if (length <= this.#size) return this.#kept;
    return Array.from({ length: this.#size }, (_, at) => this.#kept[Math.floor((at * length) / this.#size)] ?? "");
  }
}
