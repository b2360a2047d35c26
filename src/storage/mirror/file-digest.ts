import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { digestBytes } from "../../core/index.ts";

const pieceBytes = 1024 * 1024;

/** Nothing is awaited while it is used. */
let piece: Buffer | undefined;

/** The digest of a file as pages have it. Throws what the file system says. */
export function digestFile(file: string | Buffer): string {
  const hash = createHash("sha256");
  const fd = openSync(file, "r");
  try {
    piece ??= Buffer.allocUnsafe(pieceBytes);
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) hash.update(piece.subarray(0, read));
  } finally {
    closeSync(fd);
  }
  return hash.digest().subarray(0, digestBytes).toString("base64url");
}
