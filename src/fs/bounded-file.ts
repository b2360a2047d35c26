import { open } from "node:fs/promises";
import { wrapSystemError } from "../core/index.ts";

/**
 * The first bytes of a file, at most `maxBytes`. A device or a pipe has no size: what is read is bounded, not what it says of
 * itself.
 *
 * @param what - what the file is, for an error: `the configuration`
 * @throws TidemarkError `not-found`, `no-permission`, and what else the file system says
 */
export async function readAtMost(file: string, maxBytes: number, what: string): Promise<Uint8Array> {
  try {
    const handle = await open(file);
    try {
      const buffer = Buffer.alloc(maxBytes);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
        length += bytesRead;
        if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw wrapSystemError(error, `read ${what} ${file}`, { file });
  }
}
