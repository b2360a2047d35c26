/** Keeps the k rows with the smallest keys of a long sequence. O(1) per row on average. */
export class TopK<Row> {
  readonly #most: number;
  #rows: { readonly key: number; readonly row: Row }[] = [];
  #bound = Number.POSITIVE_INFINITY;

  /** @param most - number of rows to keep */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param make - called only for a row that may be kept */
  add(key: number, make: () => Row): void {
    if (key >= this.#bound) return;
    this.#rows.push({ key, row: make() });
    if (this.#rows.length >= 2 * this.#most) this.#cut();
  }

  /** The rows with the smallest keys first; equal keys in the order of insertion. */
  rows(): Row[] {
    this.#cut();
    return this.#rows.map(({ row }) => row);
  }

  #cut(): void {
    this.#rows.sort((one, other) => one.key - other.key);
    this.#rows = this.#rows.slice(0, this.#most);
    if (this.#rows.length === this.#most) this.#bound = this.#rows.at(-1)?.key ?? this.#bound;
  }
}
