import { Buffer } from "node:buffer";
import { closeSync, fdatasyncSync, ftruncateSync, openSync } from "node:fs";
import { crc32 } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { readAt, writeWhole } from "../../fs/index.ts";

/** A record's length and its CRC-32, before its bytes. */
const headBytes = 8;
const maxRecordBytes = 64 * 1024 * 1024;
const pieceBytes = 1024 * 1024;

export function sealRecord(bytes: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(headBytes + bytes.length);
  record.writeUInt32LE(bytes.length, 0);
  record.writeUInt32LE(crc32(bytes), 4);
  record.set(bytes, headBytes);
  return record;
}

/** The bytes of the record that begins at a place; undefined if it is not whole or not as it was written. */
export function openRecord(bytes: Buffer, at: number): Buffer | undefined {
  if (bytes.length < at + headBytes) return undefined;
  const end = at + headBytes + bytes.readUInt32LE(at);
  // What a power cut leaves may be zeros, which would be a record without bytes.
  if (bytes.length < end || end === at + headBytes) return undefined;
  const content = bytes.subarray(at + headBytes, end);
  return crc32(content) === bytes.readUInt32LE(at + 4) ? content : undefined;
}

/** A file of records, written at its end; each is there whole or not at all. */
export class RecordFile {
  readonly #path: string;
  readonly #fd: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #sizeBytes: number;
  #hasFailed = false;
  /** What a killed process wrote may not be. */
  #isDurable = false;

  /** Opens a file for more records, made if it is not there. What follows its last whole record, as a kill leaves it, is cut off. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#fd = openSync(path, "a+", 0o644);
      this.#sizeBytes = 0;
      for (const bytes of recordsIn(this.#fd)) this.#sizeBytes += headBytes + bytes.length;
      ftruncateSync(this.#fd, this.#sizeBytes);
    } catch (error) {
      throw wrapSystemError(error, `open ${path}`, { path });
    }
  }

  /** Bytes of all records, including those that are not written yet. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Adds a record, or nothing if it throws.
   *
   * @param bytes - at least one, at most 64 MiB
   * @returns where the record begins
   */
  append(bytes: Uint8Array): number {
    if (bytes.length === 0 || bytes.length > maxRecordBytes) throw new RangeError(`a record of ${bytes.length} bytes`);
    if (this.#pendingBytes >= pieceBytes) this.write();
    const record = sealRecord(bytes);
    const offset = this.#sizeBytes;
    this.#pending.push(record);
    this.#pendingBytes += record.length;
    this.#sizeBytes += record.length;
    return offset;
  }

  /** Hands the records to the system, so that they survive this process, but not a power cut. After an error it can be called again. */
  write(): void {
    if (this.#pendingBytes === 0) return;
    try {
      // What an earlier attempt wrote before it failed goes first.
      if (this.#hasFailed) ftruncateSync(this.#fd, this.#sizeBytes - this.#pendingBytes);
      this.#hasFailed = true;
      writeWhole(this.#fd, Buffer.concat(this.#pending));
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#path}`, { path: this.#path });
    }
    this.#hasFailed = false;
    this.#isDurable = false;
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  flush(): void {
    this.write();
    if (this.#isDurable) return;
    try {
      fdatasyncSync(this.#fd);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#path}`, { path: this.#path });
    }
    this.#isDurable = true;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function* recordsIn(fd: number): Generator<Buffer, void, void> {
  let offset = 0;
  let piece = readAt(fd, offset, pieceBytes);
  let at = 0;
  for (;;) {
    const content = openRecord(piece, at);
    if (content !== undefined) {
      yield content;
      at += headBytes + content.length;
      continue;
    }
    // It may only not be read yet.
    const wanted = piece.length < at + headBytes ? headBytes : headBytes + piece.readUInt32LE(at);
    if (wanted > maxRecordBytes + headBytes || piece.length >= at + wanted) return;
    const next = readAt(fd, offset + at, Math.max(pieceBytes, wanted));
    if (next.length <= piece.length - at) return;
    offset += at;
    at = 0;
    piece = next;
  }
}

/**
 * The whole records of a file, in order; none if there is no file.
 *
 * @param sizeBytes - the least size of the file
 * @throws TidemarkError `state-corrupt` if whole records end earlier
 */
export function* readRecords(path: string, sizeBytes = 0): Generator<Buffer, void, void> {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if (sizeBytes === 0 && (error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw wrapSystemError(error, `read ${path}`, { path });
  }
  try {
    let end = 0;
    for (const bytes of recordsIn(fd)) {
      end += headBytes + bytes.length;
      yield bytes;
    }
    if (end < sizeBytes) throw corrupt(path);
  } finally {
    closeSync(fd);
  }
}

/** The error for durable bytes that differ from what was written. */
export function corrupt(path: string): TidemarkError {
  return new TidemarkError("state-corrupt", `${path} is damaged.`, {
    hint: "Move the folder away and begin anew, or bring it back from a backup.",
    details: { path },
  });
}
