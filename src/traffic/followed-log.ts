import { type FileHandle, open, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

const chunkBytes = 256 * 1024;

/**
 * The bytes of a log that a server still writes: what is there, and what comes, until the signal. A log that was rotated away is
 * read to its end, then the new one of its name; one that was cut is read from its beginning.
 *
 * @param pollMs - pause at the end of the log
 * @param onIdle - told when all that is there was given
 */
export async function* followLog(
  path: string,
  signal: AbortSignal,
  pollMs: number,
  onIdle: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  let handle: FileHandle = await open(path);
  let position = 0;
  try {
    while (!signal.aborted) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
      if (bytesRead > 0) {
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
        continue;
      }
      onIdle();
      const held = await handle.stat();
      const now = await stat(path).catch(() => undefined);
      const isRotated = now !== undefined && (now.ino !== held.ino || now.dev !== held.dev);
      // The server goes on with the old log until it is told, and each of its processes opens the new one for itself.
      if (isRotated && now.size > 0) {
        await delay(pollMs, undefined, { signal }).catch(() => undefined);
        const last = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
        if (last.bytesRead > 0) {
          position += last.bytesRead;
          yield last.buffer.subarray(0, last.bytesRead);
          continue;
        }
        await handle.close();
        handle = await open(path);
        position = 0;
      } else if (held.size < position) position = 0;
      else await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await handle.close();
  }
}
