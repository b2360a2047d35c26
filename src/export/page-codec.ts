import { Buffer } from "node:buffer";
import { type ContentMark, decodeMark, encodeMark, maxMarkBytes } from "../content/index.ts";
import { digestBytes } from "../model/index.ts";
import type { PublishedPage, RememberedPage } from "./published-page.ts";

/** First line of the file that remembers pages. */
export const pagesHeader = "tidemark-pages 1\n";

const flagDigest = 1;
const flagRacy = 2;
const flagOwnLastModified = 4;
const flagOwnCtime = 8;
const flagMark = 16;
/** The size is not known, and not there. */
const flagSizeless = 32;
/** Nothing but the path follows: the page is there no more. */
const flagGone = 64;
/** Ends the records; a record's flags never have this bit. */
const flagEnd = 128;

const maxPathBytes = 8_000;
const maxTypeBytes = 255;
/** A record's largest length: flags, ten numbers, two texts, a digest and a mark. */
const maxRecordBytes: number = 1 + 10 * 8 + maxPathBytes + maxTypeBytes + digestBytes + maxMarkBytes;

/** Writes a list of records in path order into pieces of bytes: front-coded paths, numbers as varints. */
export class PageEncoder {
  #buffer: Buffer;
  #length: number;
  #previousPath = "";
  readonly #types = new Map<string, number>();

  constructor(pieceBytes: number = 256 * 1024) {
    this.#buffer = Buffer.allocUnsafe(pieceBytes + maxRecordBytes);
    this.#length = this.#buffer.write(pagesHeader, "latin1");
  }

  /** Bytes that wait to be taken. */
  get pendingBytes(): number {
    return this.#length;
  }

  /** Appends a record; its path is greater than the one before. */
  add(page: PublishedPage): void {
    this.#reserve();
    const { path, digest } = page;
    if (path.length > maxPathBytes || page.mediaType.length > maxTypeBytes)
      throw new RangeError(`too long to be remembered: ${path}`);
    const { sizeBytes, mtimeUs, ctimeUs, lastModified } = page;
    checkWhole(sizeBytes ?? 0, mtimeUs, ctimeUs, lastModified);
    const mtimeSeconds = Math.floor(mtimeUs / 1e6);
    let flags = 0;
    if (digest !== undefined) flags |= flagDigest;
    if (page.racy) flags |= flagRacy;
    if (lastModified !== mtimeSeconds) flags |= flagOwnLastModified;
    if (ctimeUs !== mtimeUs) flags |= flagOwnCtime;
    if (page.mark !== undefined) flags |= flagMark;
    if (sizeBytes === undefined) flags |= flagSizeless;
    const buffer = this.#buffer;
    let at = this.#length;
    buffer[at++] = flags;
    at = this.#putPath(buffer, at, path);
    if (sizeBytes !== undefined) at = putNumber(buffer, at, sizeBytes);
    at = putTime(buffer, at, mtimeUs, mtimeSeconds);
    if ((flags & flagOwnCtime) !== 0) at = putTime(buffer, at, ctimeUs, Math.floor(ctimeUs / 1e6));
    if ((flags & flagOwnLastModified) !== 0) at = putNumber(buffer, at, lastModified);
    at = this.#putType(buffer, at, page.mediaType);
    if (digest !== undefined) at += buffer.write(digest, at, "base64url");
    this.#length = page.mark === undefined ? at : encodeMark(page.mark, buffer, at);
  }

  /** Appends that a page is there no more; its path is greater than the one before. */
  addGone(path: string): void {
    this.#reserve();
    if (path.length > maxPathBytes) throw new RangeError(`too long to be remembered: ${path}`);
    this.#buffer[this.#length++] = flagGone;
    this.#length = this.#putPath(this.#buffer, this.#length, path);
  }

  /** Ends the records with their count. */
  end(count: number): void {
    this.#reserve();
    this.#buffer[this.#length++] = flagEnd;
    this.#length = putNumber(this.#buffer, this.#length, count);
  }

  /** Begins another list, after {@link end} and {@link take}. */
  restart(): void {
    this.#previousPath = "";
    this.#types.clear();
    this.#length = this.#buffer.write(pagesHeader, "latin1");
  }

  /** Hands over what waits. */
  take(): Buffer {
    const piece = Buffer.from(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    return piece;
  }

  #reserve(): void {
    if (this.#length + maxRecordBytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  #putPath(buffer: Buffer, start: number, path: string): number {
    const shared = sharedLength(this.#previousPath, path);
    let at = putNumber(buffer, putNumber(buffer, start, shared), path.length - shared);
    // What paths do not share is short: letter by letter it costs less than a call into native code.
    for (let letter = shared; letter < path.length; letter++) buffer[at++] = path.charCodeAt(letter);
    this.#previousPath = path;
    return at;
  }

  // Types are few: the first time a type is written out behind its number.
  #putType(buffer: Buffer, at: number, mediaType: string): number {
    const known = this.#types.get(mediaType);
    if (known !== undefined) return putNumber(buffer, at, known);
    const number = this.#types.size;
    this.#types.set(mediaType, number);
    const start = putNumber(buffer, putNumber(buffer, at, number), mediaType.length);
    return start + buffer.write(mediaType, start, "latin1");
  }
}

/** Puts a varint: seven bits a byte, the lowest first. @returns where it ends */
function putNumber(buffer: Buffer, start: number, value: number): number {
  let at = start;
  let rest = value;
  while (rest > 0x7fff_ffff) {
    buffer[at++] = (rest % 128) + 128;
    rest = Math.floor(rest / 128);
  }
  while (rest > 127) {
    buffer[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  buffer[at++] = rest;
  return at;
}

// Seconds and microseconds on their own, so that both are small whole numbers.
function putTime(buffer: Buffer, at: number, timeUs: number, seconds: number): number {
  return putNumber(buffer, putNumber(buffer, at, seconds), timeUs - seconds * 1e6);
}

function checkWhole(...values: readonly number[]): void {
  for (const value of values)
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a whole number: ${value}`);
}

function sharedLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Reads what {@link PageEncoder} wrote, piece by piece. Throws RangeError on anything else. */
export class PageDecoder {
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  #path = "";
  #count = 0;
  #begun = false;
  #ended = false;
  readonly #types: string[] = [];

  /** Whether the end and its count were read. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Takes a piece and appends to `pages` the records that are complete. */
  decode(piece: Uint8Array, pages: RememberedPage[]): void {
    this.#buffer =
      this.#at === this.#buffer.length ? Buffer.from(piece) : Buffer.concat([this.#buffer.subarray(this.#at), piece]);
    this.#at = 0;
    if (!this.#begun) {
      if (this.#buffer.length < pagesHeader.length) return;
      if (this.#buffer.toString("latin1", 0, pagesHeader.length) !== pagesHeader)
        throw new RangeError("not a list of pages");
      this.#at = pagesHeader.length;
      this.#begun = true;
    }
    for (;;) {
      const start = this.#at;
      if (this.#ended && start < this.#buffer.length) throw new RangeError("bytes behind the end");
      const page = this.#record();
      if (page === undefined) {
        if (!this.#ended) this.#at = start;
        if (this.#buffer.length - this.#at > 2 * maxRecordBytes) throw new RangeError("a record without end");
        return;
      }
      pages.push(page);
    }
  }

  #record(): RememberedPage | undefined {
    if (this.#at >= this.#buffer.length) return undefined;
    const flags = this.#buffer[this.#at++] ?? 0;
    if (flags === flagEnd) {
      const count = this.#number();
      if (count === undefined) return undefined;
      if (count !== this.#count) throw new RangeError(`${this.#count} records where ${count} were written`);
      this.#ended = true;
      return undefined;
    }
    const shared = this.#number();
    const path = this.#text(shared === undefined ? "" : this.#path.slice(0, shared));
    if (flags === flagGone) {
      if (path === undefined) return undefined;
      this.#step(path);
      return { path, isGone: true };
    }
    const isSizeless = (flags & flagSizeless) !== 0;
    const sizeBytes = isSizeless ? undefined : this.#number();
    const mtimeUs = this.#time();
    const ctimeUs = (flags & flagOwnCtime) === 0 ? mtimeUs : this.#time();
    const lastModified = (flags & flagOwnLastModified) === 0 ? Math.floor((mtimeUs ?? 0) / 1e6) : this.#number();
    const type = this.#number();
    const isNewType = type !== undefined && type === this.#types.length;
    const mediaType = isNewType ? this.#text("") : this.#types[type ?? 0];
    let digest: string | undefined;
    if ((flags & flagDigest) !== 0) {
      if (this.#at + digestBytes > this.#buffer.length) return undefined;
      digest = this.#buffer.toString("base64url", this.#at, this.#at + digestBytes);
      this.#at += digestBytes;
    }
    if (path === undefined || (sizeBytes === undefined && !isSizeless)) return undefined;
    if (mtimeUs === undefined || ctimeUs === undefined) return undefined;
    if (lastModified === undefined || type === undefined) return undefined;
    if (mediaType === undefined) {
      if (isNewType) return undefined;
      throw new RangeError("a media type without a name");
    }
    let mark: ContentMark | undefined;
    if ((flags & flagMark) !== 0) {
      const decoded = decodeMark(this.#buffer, this.#at);
      if (decoded === undefined) return undefined;
      mark = decoded.mark;
      this.#at = decoded.end;
    }
    this.#step(path);
    if (isNewType) this.#types.push(mediaType);
    const page = { path, sizeBytes, mtimeUs, ctimeUs, lastModified, mediaType, digest, racy: (flags & flagRacy) !== 0 };
    return mark === undefined ? page : { ...page, mark };
  }

  #step(path: string): void {
    if (path <= this.#path && this.#count > 0) throw new RangeError("records out of order");
    this.#path = path;
    this.#count++;
  }

  #text(prefix: string): string | undefined {
    const length = this.#number();
    if (length === undefined || this.#at + length > this.#buffer.length) return undefined;
    const text = prefix + this.#buffer.toString("latin1", this.#at, this.#at + length);
    this.#at += length;
    return text;
  }

  #time(): number | undefined {
    const seconds = this.#number();
    const micros = this.#number();
    return seconds === undefined || micros === undefined ? undefined : seconds * 1e6 + micros;
  }

  #number(): number | undefined {
    let value = 0;
    let scale = 1;
    while (this.#at < this.#buffer.length) {
      const byte = this.#buffer[this.#at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
      if (scale > Number.MAX_SAFE_INTEGER) throw new RangeError("a number too large");
    }
    return undefined;
  }
}
