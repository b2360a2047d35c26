import { join } from "node:path";
import { TidemarkError } from "../../core/index.ts";
import type { SqlEngine, SqlInput, SqlScript } from "./graph-sql.ts";
import { pathLiteral } from "./literal.ts";

type DuckDb = typeof import("@duckdb/node-api");

const loadPackage = (): Promise<DuckDb> => import("@duckdb/node-api");

/** DuckDB in this process. Its package, 70 MB, is installed by who wants it. */
export class DuckDbEngine implements SqlEngine {
  readonly #load: () => Promise<DuckDb>;

  /** @param load - imports the package */
  constructor(load: () => Promise<DuckDb> = loadPackage) {
    this.#load = load;
  }

  async *run(
    { inputs, statements, output }: SqlScript,
    folder: string,
    signal?: AbortSignal,
  ): AsyncGenerator<ReadonlyArray<number | null>, void, void> {
    const all = [...inputs.map(bindInput), ...statements];
    const { DuckDBInstance } = await this.#load().catch((error: unknown) => {
      throw new TidemarkError("not-found", "DuckDB is not installed.", {
        hint: "Install it beside tidemark: npm install @duckdb/node-api, with --global if tidemark is.",
        cause: error,
      });
    });
    const instance = await DuckDBInstance.create(join(folder, "graph.duckdb"));
    const connection = await instance.connect();
    const stop = (): void => connection.interrupt();
    signal?.addEventListener("abort", stop, { once: true });
    try {
      for (const statement of all) {
        signal?.throwIfAborted();
        await connection.run(statement);
      }
      const rows = await connection.stream(`SELECT * FROM ${output}`);
      for await (const block of rows.yieldRows())
        for (const row of block) yield row.map((value) => (value === null ? null : Number(value)));
    } catch (error) {
      if (signal?.aborted) throw new TidemarkError("aborted", "Stopped before the end.", { cause: error });
      throw new TidemarkError("io", `DuckDB failed: ${String((error as Error).message).slice(0, 1000)}`, {
        cause: error,
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      connection.closeSync();
      instance.closeSync();
    }
  }
}

function bindInput(input: SqlInput): string {
  if ("count" in input)
    return `CREATE TEMPORARY VIEW ${input.name} AS SELECT range AS ${input.column} FROM range(${input.count})`;
  const columns = input.columns.map((column) => `'${column}': 'BIGINT'`).join(", ");
  return (
    `CREATE TEMPORARY VIEW ${input.name} AS SELECT * FROM ` +
    `read_csv(${pathLiteral(input.file)}, delim = '\t', header = false, auto_detect = false, columns = {${columns}})`
  );
}
