import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { createDurably, placeFile, writeDurably } from "./durable-file.ts";
import { makeMissingFolder } from "./folder.ts";

/** The bytes of an open file from an offset; fewer than `length` if it ends before. */
export function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  for (let read = -1; read !== 0 && filled < length; filled += read)
    read = readSync(fd, bytes, filled, length - filled, offset + filled);
  return bytes.subarray(0, filled);
}

/**
 * The first bytes of a file, at most `maxBytes`, also of a device or a pipe, whose size says nothing.
 *
 * @param what - what the file is, for an error: `the configuration`
 * @throws TidemarkError `not-found`, `no-permission`, and what else the file system says
 */
export async function readAtMost(file: string, maxBytes: number, what: string): Promise<Uint8Array> {
  try {
    return Buffer.concat(await createReadStream(file, { end: maxBytes - 1 }).toArray());
  } catch (error) {
    throw wrapSystemError(error, `read ${what} ${file}`, { file });
  }
}

/**
 * Writes a file for others to read (0644 less the umask), whole or not at all.
 *
 * @param path - absolute
 * @throws TidemarkError `bad-option` if it is there already and must not be overwritten
 */
export async function writeTextFile(
  path: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  if (overwrite) await writeDurably(path, text, { mode: "user" });
  else if (!(await createDurably(path, text, { mode: "user" })))
    throw new TidemarkError("bad-option", `${path} is there already.`, {
      hint: "Name another file, or overwrite this one with --force.",
      details: { path },
    });
}

/** The file of a name beside the state in a folder of mirrors. */
export function sideFileIn(into: string, name: string): string {
  return join(into, ".tidemark", name);
}

/**
 * Writes a small file for others, whole or not at all, and its folder. It is not made durable: what it says is of now.
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
export function readSideFile(
  file: string,
  maxBytes: number,
): { readonly text: string } | "missing" | "no-file" | "too-long" {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!fstatSync(handle).isFile()) return "no-file";
    const bytes = readAt(handle, 0, maxBytes + 1);
    return bytes.length > maxBytes ? "too-long" : { text: bytes.toString() };
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    if (code === "ENOENT") return "missing";
    if (code === "ELOOP" || code === "ENXIO" || code === "EISDIR") return "no-file";
    throw wrapSystemError(error, `read ${file}`, { file });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
