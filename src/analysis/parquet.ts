import type { ColumnSource } from "hyparquet-writer";

/** A column of a table: whole numbers below 2^31, or texts. */
export interface ParquetColumn {
  readonly name: string;
  readonly kind: "number" | "text";
}

/** Rows of some columns in the order of these. */
export type ParquetRows = readonly (Int32Array | string[])[];

/**
 * A table in Apache Parquet. Memory: one group of rows.
 *
 * @param groups - rows that stand together in the file; some 100,000 are a good size
 * @returns pieces of the file, each written over once the next is asked for
 */
export async function* formatParquet(
  columns: readonly ParquetColumn[],
  groups: Iterable<ParquetRows> | AsyncIterable<ParquetRows>,
): AsyncGenerator<Uint8Array, void, void> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const writer = new ByteWriter();
  const table = new ParquetWriter({
    writer,
    createdBy: "tidemark",
    schema: [
      { name: "root", num_children: columns.length },
      ...columns.map(({ name, kind }) => ({
        name,
        repetition_type: "REQUIRED" as const,
        ...(kind === "number"
          ? { type: "INT32" as const }
          : { type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const }),
      })),
    ],
  });
  for await (const rows of groups) {
    const columnData = columns.map(
      ({ name, kind }, at): ColumnSource => ({
        name,
        data: rows[at] ?? [],
        // Numbers of links ascend, and names begin as those before them.
        encoding: kind === "number" ? "DELTA_BINARY_PACKED" : "DELTA_BYTE_ARRAY",
      }),
    );
    await table.write({ columnData, rowGroupSize: Math.max(1, rows[0]?.length ?? 0) });
    yield writer.getBytes();
    writer.index = 0;
  }
  await table.finish();
  yield writer.getBytes();
}
