import { type Connection, prepareStatement, type SqlValue } from "./database.ts";

/** The values of a row; undefined is NULL. */
export type SqlRow = readonly (SqlValue | undefined)[];

/** A statement over rows, and over one alone. */
export interface RowsSql {
  readonly many: string;
  readonly one: string;
}

/** Of the statement over one row, the parameter that has its first value. */
const firstValue = 4;

/**
 * A statement over the rows of `json_each(?2) j`. One row alone is bound value by value: to read it from JSON takes longer than to
 * write it.
 *
 * @param text - names values as `j.value ->> 0`; `?1` is the site, and `?3` what all rows share
 */
export function overRows(text: string): RowsSql {
  const one = text
    .replace("json_each(?2) j", "(SELECT 1) j")
    .replace(/j\.value ->> (\d+)/g, (_, at) => `?${firstValue + Number(at)}`);
  return { many: text, one };
}

/** Runs a statement over rows. @returns how many it changed */
export function runOverRows(
  connection: Connection,
  { many, one }: RowsSql,
  { site, rows, shared }: { readonly site: number; readonly rows: readonly SqlRow[]; readonly shared?: SqlValue },
): number {
  const [row] = rows;
  if (row === undefined) return 0;
  const statement = prepareStatement(connection, rows.length === 1 ? one : many);
  const values = rows.length === 1 ? [null, shared ?? null, ...row.map((value) => value ?? null)] : undefined;
  return values === undefined
    ? statement.run(site, JSON.stringify(rows), ...(shared === undefined ? [] : [shared])).changes
    : statement.run(site, ...values).changes;
}
