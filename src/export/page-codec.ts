import { Buffer } from "node:buffer";
import { type ContentMark, decodeMark, encodeMark, maxMarkBytes } from "../content/index.ts";
import { digestBytes } from "../model/index.ts";
import type { PublishedPage, RememberedPage } from "./published-page.ts";

/** First line of a list of remembered pages. */
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

/** Writes lists of records in path order, one after the other: front-coded paths, numbers as varints. */
export class PageEncoder {
  #buffer: Buffer;
  #length: number;
  #count = 0;
  #previousPath = "";
  readonly #types = new Map<string, number>();

  /** @param sizeBytes - of a usual list; there is always room for more */
  constructor(sizeBytes: number) {
    this.#buffer = Buffer.allocUnsafe(sizeBytes + maxRecordBytes);
    this.#length = this.#buffer.write(pagesHeader, "latin1");
  }

  /** Bytes of the list so far. */
  get sizeBytes(): number {
    return this.#length;
  }

  /** Records of the list so far. */
  get count(): number {
    return this.#count;
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
    this.#count += 1;
  }

  /** Appends that a page is there no more; its path is greater than the one before. */
  addGone(path: string): void {
    this.#reserve();
    if (path.length > maxPathBytes) throw new RangeError(`too long to be remembered: ${path}`);
    this.#buffer[this.#length++] = flagGone;
    this.#length = this.#putPath(this.#buffer, this.#length, path);
    this.#count += 1;
  }

  /** Ends the list with its count, and begins another. @returns the list */
  finish(): Buffer {
    this.#reserve();
    this.#buffer[this.#length++] = flagEnd;
    const end = putNumber(this.#buffer, this.#length, this.#count);
    const list = Buffer.from(this.#buffer.subarray(0, end));
    this.#count = 0;
    this.#previousPath = "";
    this.#types.clear();
    this.#length = pagesHeader.length;
    return list;
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

/** Reads a list that {@link PageEncoder} wrote. @throws RangeError on anything else */
export function decodePages(bytes: Buffer): RememberedPage[] {
  return new Decoding(bytes).run();
}

class Decoding {
  readonly #bytes: Buffer;
  #at: number = pagesHeader.length;
  #path = "";
  readonly #types: string[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  run(): RememberedPage[] {
    if (this.#bytes.toString("latin1", 0, pagesHeader.length) !== pagesHeader)
      throw new RangeError("not a list of pages");
    const pages: RememberedPage[] = [];
    for (let flags = this.#byte(); flags !== flagEnd; flags = this.#byte()) {
      const path = this.#text(this.#path.slice(0, this.#number()));
      if (path <= this.#path && pages.length > 0) throw new RangeError("records out of order");
      this.#path = path;
      pages.push(flags === flagGone ? { path, isGone: true } : this.#page(path, flags));
    }
    const count = this.#number();
    if (count !== pages.length) throw new RangeError(`${pages.length} records where ${count} were written`);
    if (this.#at < this.#bytes.length) throw new RangeError("bytes behind the end");
    return pages;
  }

  #page(path: string, flags: number): PublishedPage {
    const sizeBytes = (flags & flagSizeless) === 0 ? this.#number() : undefined;
    const mtimeUs = this.#time();
    const ctimeUs = (flags & flagOwnCtime) === 0 ? mtimeUs : this.#time();
    const lastModified = (flags & flagOwnLastModified) === 0 ? Math.floor(mtimeUs / 1e6) : this.#number();
    const mediaType = this.#mediaType();
    const digest = (flags & flagDigest) === 0 ? undefined : this.#take("base64url", digestBytes);
    const racy = (flags & flagRacy) !== 0;
    const page = { path, sizeBytes, mtimeUs, ctimeUs, lastModified, mediaType, digest, racy };
    return (flags & flagMark) === 0 ? page : { ...page, mark: this.#mark() };
  }

  #mediaType(): string {
    const number = this.#number();
    if (number === this.#types.length) this.#types.push(this.#text(""));
    const mediaType = this.#types[number];
    if (mediaType === undefined) throw new RangeError("a media type without a name");
    return mediaType;
  }

  #mark(): ContentMark {
    const decoded = decodeMark(this.#bytes, this.#at);
    if (decoded === undefined) throw endedEarly();
    this.#at = decoded.end;
    return decoded.mark;
  }

  #text(prefix: string): string {
    return prefix + this.#take("latin1", this.#number());
  }

  #take(encoding: "latin1" | "base64url", length: number): string {
    // Whatever ends too early is found out by the byte that follows: a list has an end.
    const start = this.#at;
    this.#at = start + length;
    return this.#bytes.toString(encoding, start, this.#at);
  }

  #time(): number {
    return this.#number() * 1e6 + this.#number();
  }

  #number(): number {
    let value = 0;
    for (let scale = 1; scale <= Number.MAX_SAFE_INTEGER; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError("a number too large");
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw endedEarly();
    return byte;
  }
}

function endedEarly(): RangeError {
  return new RangeError("it ends too early");
}
