import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Cursor, EpochMs } from "../core/index.ts";
import { isCanonicalPath } from "../formats/url/index.ts";
import { readSideFile, writeDurably } from "../fs/index.ts";

const fileName = "position.json";
const maxFileBytes = 16 * 1024;
/** Files that earlier versions left: lists of URLs, and a second copy of the position. */
const staleName = /^urls-[0-9a-f]{16}\.txt$|^position-before\.json$/;

/** How far submission has got. */
export interface Position {
  /** Everything up to here has been submitted; nothing has, if the publication is 0. */
  readonly cursor: Cursor;
  /** Changes of the paths up to this one have been submitted up to `to`. */
  readonly done?: { readonly to: Cursor; readonly path: string } | undefined;
  /** Consecutive runs that failed. */
  readonly failedRuns: number;
  /** The endpoint that is sent no request before a time. */
  readonly pause?: { readonly endpoint: string; readonly until: EpochMs } | undefined;
  /** URLs known to be still pending. */
  readonly pending?: number | undefined;
}

/** Reads the position. @returns undefined if the file cannot be understood */
export async function readPosition(folder: string): Promise<Position | "missing" | undefined> {
  const read = readSideFile(join(folder, fileName), maxFileBytes);
  if (read === "missing") return read;
  try {
    return await parsePosition(typeof read === "string" ? undefined : JSON.parse(read.text));
  } catch {
    return undefined;
  }
}

/** @throws what zod says of it */
async function parsePosition(value: unknown): Promise<Position> {
  // Loaded only here: it takes long.
  const z = await import("zod");
  const count = z.int().min(0);
  const cursor = z.object({ epoch: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/), publication: count });
  const done = z.object({ to: cursor, path: z.string().refine(isCanonicalPath) });
  const pause = z.object({ endpoint: z.string(), until: count });
  const form = z.object({
    version: z.literal(1),
    cursor,
    failedRuns: count,
    // If one of these is invalid, some URLs are submitted, or the endpoint is asked, once more.
    done: done.optional().catch(undefined),
    pause: pause.optional().catch(undefined),
    pending: count.optional().catch(undefined),
  });
  return form.parse(value);
}

/** Replaces the position: the old one or the new one is there, whatever happens. */
export async function writePosition(folder: string, position: Position): Promise<void> {
  const text = `${JSON.stringify({ ...position, version: 1 })}\n`;
  await writeDurably(join(folder, fileName), text, { mode: 0o600 });
}

/** Removes what earlier versions left. */
export async function removeStaleFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (staleName.test(name)) await rm(join(folder, name), { force: true });
}
