import { digestBytes } from "../../core/index.ts";
import type { ListedPage } from "./listed-page.ts";

/** Longest record in bytes: its path's length, the path, flags, size, time, digest and type. */
export const maxRecordBytes: number = 2 + 8000 + 1 + 8 + 5 + digestBytes + 2;

const flagSize = 1;
const flagTime = 2;
const flagDigest = 4;
const flagType = 8;

/** Distinct types of a list; those beyond count as unknown, so that a hostile list costs no memory. */
const maxTypes = 4096;

/** Writes listed pages as bytes and reads them back. Records live as long as a run of the program: they are no format. */
export class ListedPageRecords {
  readonly #types: string[] = [];
  readonly #numbers: Map<string, number> = new Map();

  /** Writes a page. @returns where the record ends; it needs at most {@link maxRecordBytes} */
  encode(page: ListedPage, buffer: Buffer, start: number): number {
    const { path, sizeBytes, lastModified, digest } = page;
    const type = page.mediaType === undefined ? undefined : this.#numberOf(page.mediaType);
    let at = start;
    buffer[at++] = path.length & 255;
    buffer[at++] = path.length >>> 8;
    at += buffer.write(path, at, "latin1");
    buffer[at++] =
      (sizeBytes === undefined ? 0 : flagSize) |
      (lastModified === undefined ? 0 : flagTime) |
      (digest === undefined ? 0 : flagDigest) |
      (type === undefined ? 0 : flagType);
    if (sizeBytes !== undefined) at = buffer.writeDoubleLE(sizeBytes, at);
    if (lastModified !== undefined) at = buffer.writeUIntLE(lastModified, at, 5);
    if (digest !== undefined) at += buffer.write(digest, at, digestBytes, "base64url");
    if (type !== undefined) at = buffer.writeUInt16LE(type, at);
    return at;
  }

  /** Length of the record at a place; undefined if it is not whole before `end`. */
  measure(buffer: Buffer, start: number, end: number): number | undefined {
    if (start + 2 > end) return undefined;
    const flagsAt = start + 2 + ((buffer[start] ?? 0) | ((buffer[start + 1] ?? 0) << 8));
    if (flagsAt >= end) return undefined;
    const flags = buffer[flagsAt] ?? 0;
    const length =
      flagsAt +
      1 -
      start +
      ((flags & flagSize) === 0 ? 0 : 8) +
      ((flags & flagTime) === 0 ? 0 : 5) +
      ((flags & flagDigest) === 0 ? 0 : digestBytes) +
      ((flags & flagType) === 0 ? 0 : 2);
    return start + length > end ? undefined : length;
  }

  /** Reads the whole record at a place. */
  decode(buffer: Buffer, start: number): ListedPage {
    const flagsAt = start + 2 + ((buffer[start] ?? 0) | ((buffer[start + 1] ?? 0) << 8));
    const path = buffer.toString("latin1", start + 2, flagsAt);
    const flags = buffer[flagsAt] ?? 0;
    let at = flagsAt + 1;
    let sizeBytes: number | undefined;
    let lastModified: number | undefined;
    let digest: string | undefined;
    let mediaType: string | undefined;
    if ((flags & flagSize) !== 0) {
      sizeBytes = buffer.readDoubleLE(at);
      at += 8;
    }
    if ((flags & flagTime) !== 0) {
      lastModified = buffer.readUIntLE(at, 5);
      at += 5;
    }
    if ((flags & flagDigest) !== 0) {
      digest = buffer.toString("base64url", at, at + digestBytes);
      at += digestBytes;
    }
    if ((flags & flagType) !== 0) mediaType = this.#types[buffer.readUInt16LE(at)];
    return { path, sizeBytes, lastModified, mediaType, digest };
  }

  #numberOf(type: string): number | undefined {
    const known = this.#numbers.get(type);
    if (known !== undefined || this.#types.length >= maxTypes) return known;
    this.#numbers.set(type, this.#types.length);
    this.#types.push(type);
    return this.#types.length - 1;
  }
}
