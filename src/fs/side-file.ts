import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { wrapSystemError } from "../core/index.ts";
import { placeFile } from "./durable-file.ts";
import { makeMissingFolder } from "./missing-folder.ts";

/** A file that is longer than it may be, or no file. */
export type SideFileFault = "missing" | "no-file" | "too-long";

/**
 * Writes a small file for others, whole or not at all. It is not made durable: what it says is of now.
 *
 * @throws what the file system says
 */
export function writeSideFile(file: string, text: string): void {
  try {
    makeMissingFolder(dirname(file));
  } catch (error) {
    throw wrapSystemError(error, `write ${file}`, { file });
  }
  placeFile(file, text, { mode: "user" });
}

/**
 * Reads a file that anybody may have written: neither a link nor a pipe, nor more than `maxBytes`.
 *
 * @throws what the file system says, but for a file that is not there
 */
export function readSideFile(file: string, maxBytes: number): { readonly text: string } | SideFileFault {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(handle).isFile()) return "no-file";
    const bytes = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(handle, bytes, length, bytes.length - length, null);
    return length > maxBytes ? "too-long" : { text: bytes.toString("utf8", 0, length) };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT") return "missing";
    if (code === "ELOOP" || code === "ENXIO" || code === "EISDIR") return "no-file";
    throw wrapSystemError(error, `read ${file}`, { file });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** The file of a name beside the state in a folder of mirrors. */
export function sideFileIn(into: string, name: string): string {
  return join(into, ".tidemark", name);
}
