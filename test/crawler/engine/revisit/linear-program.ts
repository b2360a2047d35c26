import { createRequire } from "node:module";
import type * as highsTypes from "highs";

// Its declarations speak of CommonJS alone, so that its module for import cannot be called by them.
const loadHighs = createRequire(import.meta.url)("highs") as typeof highsTypes.default.default;

/** A linear program in the making: least cost, rows of `at least`, `at most` or `equal`, columns within bounds. */
export class LinearProgram {
  readonly #costs: string[] = [];
  readonly #rows: string[] = [];
  readonly #bounds: string[] = [];
  #columns = 0;

  /** @returns the column's number */
  addColumn(cost: number, low: number, high: number): number {
    const column = this.#columns;
    this.#columns += 1;
    if (cost !== 0) this.#costs.push(`${sign(cost)} x${column}`);
    this.#bounds.push(` ${low} <= x${column} <= ${Number.isFinite(high) ? high : "inf"}`);
    return column;
  }

  addRow(
    terms: ReadonlyArray<readonly [coefficient: number, column: number]>,
    relation: "<=" | ">=" | "=",
    side: number,
  ): void {
    const used = terms.filter(([coefficient]) => coefficient !== 0);
    if (used.length === 0) return;
    this.#rows.push(
      ` r${this.#rows.length}: ${used.map(([c, column]) => `${sign(c)} x${column}`).join(" ")} ${relation} ${side}`,
    );
  }

  /** Solves it by HiGHS, which runs as WebAssembly from its package. */
  async solve(): Promise<{ readonly objective: number; readonly values: Float64Array }> {
    const highs = await loadHighs();
    const text = [
      "Minimize",
      ` cost: ${this.#costs.join("\n ")}`,
      "Subject To",
      ...this.#rows,
      "Bounds",
      ...this.#bounds,
      "End",
    ];
    const solution = highs.solve(text.join("\n"), { output_flag: false });
    if (solution.Status !== "Optimal") throw new Error(`HiGHS: ${solution.Status}`);
    const values = new Float64Array(this.#columns);
    for (let column = 0; column < this.#columns; column++) {
      const found = solution.Columns[`x${column}`];
      values[column] = found !== undefined && "Primal" in found ? (found.Primal ?? 0) : 0;
    }
    return { objective: solution.ObjectiveValue, values };
  }
}

const sign = (value: number): string => (value < 0 ? `- ${-value}` : `+ ${value}`);
