import { closeSync, futimesSync, mkdirSync, openSync, renameSync, unlinkSync, utimesSync } from "node:fs";
import { writeWhole } from "../../fs/index.ts";

/** Why a task could not be done. */
export interface FileFault {
  readonly code: string | undefined;
  readonly message: string;
}

/** What is to be done with one file of a mirror. */
export type FileTask =
  | {
      readonly kind: "place";
      readonly target: string | Uint8Array;
      /** File for as long as it is not whole; on the same file system. */
      readonly temporary: string;
      /** Undefined if it is in the temporary file already. */
      readonly content: Uint8Array | undefined;
      /** Seconds since 1970. */
      readonly modifiedAt: number;
    }
  | { readonly kind: "remove"; readonly target: string | Uint8Array };

function nameOf(file: string | Uint8Array): string | Buffer {
  return typeof file === "string" ? file : Buffer.from(file);
}

function folderOf(file: string | Buffer): string | Buffer {
  return typeof file === "string" ? file.slice(0, file.lastIndexOf("/")) : file.subarray(0, file.lastIndexOf("/"));
}

function write(file: string, content: Uint8Array, modifiedAt: number): void {
  const fd = openSync(file, "w", 0o644);
  try {
    writeWhole(fd, content);
    futimesSync(fd, modifiedAt, modifiedAt);
  } finally {
    closeSync(fd);
  }
}

/**
 * Makes a file, or replaces it at once by a whole one; or removes it.
 *
 * @throws what the file system says; the temporary file may be left
 */
export function doFileTask(task: FileTask): void {
  const target = nameOf(task.target);
  if (task.kind === "remove") {
    unlinkSync(target);
    return;
  }
  const { temporary, content, modifiedAt } = task;
  if (content === undefined) utimesSync(temporary, modifiedAt, modifiedAt);
  else write(temporary, content, modifiedAt);
  try {
    renameSync(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Its folder was empty for a moment, and removed with the page that was in it.
    mkdirSync(folderOf(target), { recursive: true });
    renameSync(temporary, target);
  }
}
