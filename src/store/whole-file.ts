import { closeSync, futimesSync, mkdirSync, openSync, renameSync } from "node:fs";
import { writeWhole } from "./body-file.ts";

/** A body in memory on its way to its file. */
export interface WholeFile {
  /** File for as long as it is not whole; on the same file system. */
  readonly temporary: string;
  readonly target: string | Uint8Array;
  readonly content: Uint8Array;
  readonly modifiedAt: number;
}

function folderOf(file: string | Uint8Array): string | Buffer {
  if (typeof file === "string") return file.slice(0, file.lastIndexOf("/"));
  const bytes = Buffer.from(file);
  return bytes.subarray(0, bytes.lastIndexOf("/"));
}

/**
 * Makes a file, or replaces it at once by a whole one.
 *
 * @throws what the file system says; the temporary file may be left
 */
export function placeWholeFile({ temporary, target, content, modifiedAt }: WholeFile): void {
  const fd = openSync(temporary, "w", 0o644);
  try {
    writeWhole(fd, content);
    futimesSync(fd, modifiedAt, modifiedAt);
  } finally {
    closeSync(fd);
  }
  const place = typeof target === "string" ? target : Buffer.from(target);
  try {
    renameSync(temporary, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Its folder was empty for a moment, and removed with the page that was in it.
    mkdirSync(folderOf(place), { recursive: true });
    renameSync(temporary, place);
  }
}
