/** The rows with the least keys of very many, of which only few are kept. O(1) a row on average. */
export class TopK<Row> {
  readonly #most: number;
  #rows: { readonly key: number; readonly row: Row }[] = [];
  #bound = Number.POSITIVE_INFINITY;

  /** @param most - rows that are kept */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param make - called only for a row that may be kept */
  add(key: number, make: () => Row): void {
    if (key >= this.#bound) return;
    this.#rows.push({ key, row: make() });
    if (this.#rows.length >= 2 * this.#most) this.#cut();
  }

  /** Those with the least keys first; of equal ones those that came first. */
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
