import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { wrapSystemError } from "../model/index.ts";

/**
 * Reads the beginning of a file, one character a byte.
 *
 * @param maxBytes - at most this many are read
 * @returns undefined if there is none
 * @throws TidemarkError if it is there and cannot be read, or is no file
 */
export async function readBeginning(path: string, maxBytes: number): Promise<string | undefined> {
  let handle: FileHandle | undefined;
  try {
    // A pipe that somebody put there must not make us wait.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = await handle.stat();
    if (!status.isFile()) throw Object.assign(new Error("it is no file"), { code: "EINVAL" });
    const bytes = Buffer.alloc(Math.min(maxBytes, status.size));
    return bytes.subarray(0, await readFully(handle, bytes, 0)).toString("latin1");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read ${path}`, { path });
  } finally {
    await handle?.close();
  }
}

/** Fills a buffer from a place in a file. @returns bytes read; fewer where the file ends */
export async function readFully(handle: FileHandle, bytes: Uint8Array, fromByte: number): Promise<number> {
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, fromByte + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}
