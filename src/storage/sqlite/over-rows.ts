import { type Connection, prepareStatement, type SqlValue } from "./database.ts";

/** The values of a row; undefined is NULL. */
export type SqlRow = readonly (SqlValue | undefined)[];

/** A statement over rows, and over one alone. */
export interface RowsSql {
  readonly many: string;
  readonly one: string;
}

/** Of the statement over one row, the parameter that has its first value. */
const firstValue = 3;

/**
 * An update by the rows of `json_each(?2) j`. By one row alone it is bound value by value, and reads from nothing else: to join with
 * a table of one row, or to read it from JSON, takes longer than to write it.
 *
 * @param text - names values as `j.value ->> 0`; `?1` is the site
 */
export function overRows(text: string): RowsSql {
  const one = text
    .replace("FROM json_each(?2) j", "")
    .replace(/j\.value ->> (\d+)/g, (_, at) => `?${firstValue + Number(at)}`);
  return { many: text, one };
}

/** Runs a statement over rows. */
export function runOverRows(
  connection: Connection,
  { many, one }: RowsSql,
  site: number,
  rows: readonly SqlRow[],
): void {
  const [row] = rows;
  if (row === undefined) return;
  const statement = prepareStatement(connection, rows.length === 1 ? one : many);
  if (rows.length === 1) statement.run(site, null, ...row.map((value) => value ?? null));
  else statement.run(site, JSON.stringify(rows));
}
