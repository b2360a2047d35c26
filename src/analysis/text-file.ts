import { once } from "node:events";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { renameDurably, temporaryName } from "../fs/index.ts";
import { findOutput } from "./output-file.ts";

const pieceBytes = 256 * 1024;
const isPacked = (file: string): boolean => /\.gz$/i.test(file);

/**
 * The bytes of a text file; unpacked, if its name ends with `.gz`.
 *
 * @throws TidemarkError `not-found`, `no-permission`; `bad-option` if it is no gzip file
 */
export async function* readTextFile(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const source = createReadStream(file, { highWaterMark: pieceBytes });
  let unpacked: AsyncIterable<Uint8Array> = source;
  if (isPacked(file)) {
    const gunzip = createGunzip({ chunkSize: pieceBytes });
    source.on("error", (error) => gunzip.destroy(error));
    unpacked = source.pipe(gunzip);
  }
  try {
    for await (const piece of unpacked) {
      signal?.throwIfAborted();
      yield piece;
    }
  } catch (error) {
    const isDamaged = String((error as { code?: unknown }).code).startsWith("Z_");
    if (isDamaged)
      throw new TidemarkError("bad-option", `${file} is no gzip file, or a damaged one.`, { cause: error });
    throw wrapSystemError(error, `read ${file}`, { file });
  } finally {
    source.destroy();
  }
}

/**
 * Writes a text file piece by piece, durably, whole or not at all; gzip'd, if its name ends with `.gz`. A symbolic link stays, and a pipe
 * or a terminal gets the pieces as they come.
 *
 * @param pieces - each may be written over once the next is asked for
 * @throws TidemarkError `disk-full`, `no-permission`, `not-found`; `bad-option` for what is neither a file nor a pipe
 */
export async function writeTextPieces(
  file: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const { path, isStream } = findOutput(file);
  const temporary = isStream ? undefined : temporaryName(path);
  const target = temporary ? createWriteStream(temporary, { flags: "wx", mode: 0o644 }) : createWriteStream(path);
  try {
    await once(target, "open");
    // A stream may keep a piece for longer than the generator does.
    const copies = Readable.from(copyPieces(pieces), { objectMode: false, highWaterMark: pieceBytes });
    if (isPacked(file)) await pipeline(copies, createGzip(), target);
    else await pipeline(copies, target);
    if (temporary) await renameDurably(temporary, path);
  } catch (error) {
    if (temporary) rmSync(temporary, { force: true });
    throw wrapSystemError(error, `write ${file}`, { file });
  }
}

async function* copyPieces(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) if (piece.length > 0) yield Uint8Array.from(piece);
}

/** Puts small pieces together. */
export function* inBlocks(pieces: Iterable<Uint8Array>): Generator<Uint8Array, void, void> {
  const block = new Uint8Array(pieceBytes);
  let filled = 0;
  for (const piece of pieces) {
    if (filled + piece.length > block.length) {
      yield block.subarray(0, filled);
      filled = 0;
    }
    block.set(piece, filled);
    filled += piece.length;
  }
  yield block.subarray(0, filled);
}
