import { readFile } from "node:fs/promises";
import { type Cursor, TidemarkError, wrapSystemError } from "../../core/index.ts";
import type { CrawlCursor } from "../../crawler/index.ts";
import { writeDurably } from "../../fs/index.ts";

/** How far the changes of a site were printed, and of which media types. */
export interface SiteCursor extends Cursor {
  /** The site's origin. */
  readonly site: string;
  /** Media types in canonical form; empty for all. */
  readonly types: string;
}

/**
 * Reads the file of a cursor, of a site or of what a crawler saw.
 *
 * @returns undefined if there is none yet
 * @throws TidemarkError `state-corrupt` if it holds something else
 */
export async function readCursorFile(file: string): Promise<SiteCursor | CrawlCursor | undefined> {
  try {
    const cursor = parseCursor(await readFile(file, "utf8"));
    if (cursor !== undefined) return cursor;
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read the cursor ${file}`, { file });
  }
  throw new TidemarkError("state-corrupt", `${file} is not a cursor of tidemark.`, {
    hint: "Name another file, or delete this one: everything is then printed again.",
    details: { file },
  });
}

/** A cursor that belongs to something else than what is to be printed. */
export function otherCursor(file: string, of: string, wanted: string, hint: string): TidemarkError {
  return new TidemarkError("bad-option", `The cursor ${file} is for ${of}, not for ${wanted}.`, {
    hint,
    details: { file },
  });
}

function parseCursor(text: string): SiteCursor | CrawlCursor | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {}
  const { site, types, epoch, publication, number } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof epoch !== "string") return undefined;
  if (typeof site === "string" && typeof types === "string" && isCount(publication))
    return { site, types, epoch, publication };
  return isCount(number) ? { epoch, number } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Replaces a cursor's file; it holds the old cursor or the new one, whatever happens. */
export async function writeCursorFile(file: string, cursor: SiteCursor | CrawlCursor): Promise<void> {
  await writeDurably(file, `${JSON.stringify(cursor)}\n`, { mode: "user", what: "the cursor" });
}
