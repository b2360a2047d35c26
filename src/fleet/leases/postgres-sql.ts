import type { PendingQuery, Row, Sql } from "postgres";

/** Rows of one statement at most. */
export const batchSize = 1000;

/** What stands for a path in an index, which takes no long text. */
export function keyOf(sql: Sql, path: string): PendingQuery<Row[]> {
  return sql.unsafe(`substring(sha256(convert_to(${path}, 'UTF8')) FOR 16)`);
}

/** A time by the server's clock. */
export function inMs(sql: Sql, ms: number | undefined): PendingQuery<Row[]> {
  return ms === undefined
    ? sql`'infinity'::timestamptz`
    : sql`now() + ${ms}::double precision * interval '1 millisecond'`;
}

export function* batches<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; at += batchSize) yield rows.slice(at, at + batchSize);
}
