import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { type Cursor, TidemarkError, wrapSystemError } from "../model/index.ts";

/** How far the changes of a site were printed, and of which media types. */
export interface KeptCursor {
  /** The site's origin. */
  readonly site: string;
  /** Media types in canonical form; empty for all. */
  readonly types: string;
  readonly cursor: Cursor;
}

/**
 * Reads a cursor's file.
 *
 * @returns undefined if there is none yet
 * @throws TidemarkError `state-corrupt` if it holds something else
 */
export async function readCursorFile(file: string): Promise<KeptCursor | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read the cursor ${file}`, { file });
  }
  const kept = parseCursor(text);
  if (kept !== undefined) return kept;
  throw new TidemarkError("state-corrupt", `${file} is not a cursor of tidemark.`, {
    hint: "Name another file, or delete this one: then everything that the site has is printed once more.",
    details: { file },
  });
}

function parseCursor(text: string): KeptCursor | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { site, types, epoch, publication } = value as Readonly<Record<string, unknown>>;
  if (typeof site !== "string" || typeof types !== "string" || typeof epoch !== "string") return undefined;
  if (typeof publication !== "number" || !Number.isSafeInteger(publication) || publication < 0) return undefined;
  return { site, types, cursor: { epoch, publication } };
}

/** Replaces a cursor's file; it holds the old cursor or the new one, whatever happens. */
export async function writeCursorFile(file: string, kept: KeptCursor): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  const { site, types, cursor } = kept;
  try {
    const handle = await open(temporary, "wx");
    try {
      await handle.writeFile(`${JSON.stringify({ site, types, ...cursor })}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw wrapSystemError(error, `write the cursor ${file}`, { file });
  }
}
