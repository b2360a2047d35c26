import { readFile } from "node:fs/promises";
import { type Cursor, TidemarkError, wrapSystemError } from "../../core/index.ts";
import type { CrawlCursor } from "../../crawler/index.ts";
import { writeDurably } from "../../fs/index.ts";

/** How far the changes of a site were printed, and of which media types. */
export interface KeptCursor {
  /** The site's origin. */
  readonly site: string;
  /** Media types in canonical form; empty for all. */
  readonly types: string;
  readonly cursor: Cursor;
}

/**
 * Reads the file of a site's cursor.
 *
 * @returns undefined if there is none yet
 * @throws TidemarkError `state-corrupt` if it holds something else, `bad-option` if that is a crawler's cursor
 */
export async function readCursorFile(file: string): Promise<KeptCursor | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  const kept = parseCursor(text);
  if (kept !== undefined) return kept;
  throw parseCrawlCursor(text) === undefined ? corrupt(file) : refuse(file, "what a crawler saw", "of a site");
}

/**
 * Reads the file of a cursor of what a crawler saw.
 *
 * @returns undefined if there is none yet
 * @throws TidemarkError `state-corrupt` if it holds something else, `bad-option` if that is a site's cursor
 */
export async function readCrawlCursorFile(file: string): Promise<CrawlCursor | undefined> {
  const text = await readText(file);
  if (text === undefined) return undefined;
  const cursor = parseCrawlCursor(text);
  if (cursor !== undefined) return cursor;
  const other = parseCursor(text);
  throw other === undefined ? corrupt(file) : refuse(file, other.site, "of what a crawler saw");
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read the cursor ${file}`, { file });
  }
}

function refuse(file: string, of: string, wanted: string): TidemarkError {
  return new TidemarkError("bad-option", `The cursor ${file} is of ${of}, not ${wanted}.`, {
    hint: "Keep a file for each.",
    details: { file },
  });
}

function corrupt(file: string): TidemarkError {
  return new TidemarkError("state-corrupt", `${file} is not a cursor of tidemark.`, {
    hint: "Name another file, or delete this one: then everything is printed once more.",
    details: { file },
  });
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function parseCrawlCursor(text: string): CrawlCursor | undefined {
  const { epoch, number } = parseObject(text);
  return typeof epoch === "string" && isCount(number) ? { epoch, number } : undefined;
}

function parseCursor(text: string): KeptCursor | undefined {
  const { site, types, epoch, publication } = parseObject(text);
  if (typeof site !== "string" || typeof types !== "string" || typeof epoch !== "string") return undefined;
  if (!isCount(publication)) return undefined;
  return { site, types, cursor: { epoch, publication } };
}

/** Replaces a cursor's file; it holds the old cursor or the new one, whatever happens. */
export async function writeCursorFile(file: string, kept: KeptCursor | CrawlCursor): Promise<void> {
  const content = "cursor" in kept ? { site: kept.site, types: kept.types, ...kept.cursor } : kept;
  await writeDurably(file, `${JSON.stringify(content)}\n`, { mode: "user", what: "the cursor" });
}
