import { Buffer } from "node:buffer";
import { digestBytes } from "../../core/index.ts";
import { type ContentMark, decodeMark, encodeMark, maxMarkBytes } from "../../formats/html/index.ts";
import { maxPartsLength, type PageIncludes, type PublishedPage, type RememberedPage } from "./published-page.ts";

/** First line of a list of remembered pages. */
export const pagesHeader = "tidemark-pages 2\n";
/** First line of a list whose records have no extensions. */
const firstHeader = "tidemark-pages 1\n";

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

/** Extensions of a record: a number of these bits behind the path, and their fields at the record's end. */
const extensionIncludes = 1;
const extensionStamp = 2;
const knownExtensions: number = extensionIncludes | extensionStamp;
const stampBytes = 4;

const maxPathBytes = 8_000;
const maxTypeBytes = 255;
/** Includes' largest length: four numbers, three digests and the parts' paths. */
const maxIncludesBytes: number = 4 * 8 + 3 * digestBytes + maxPartsLength;
/** A record's largest length: flags, eleven numbers, two texts, a digest, a mark and includes. */
const maxRecordBytes: number =
  1 + 11 * 8 + maxPathBytes + maxTypeBytes + digestBytes + maxMarkBytes + maxIncludesBytes + stampBytes;
/** Stands between the paths of a page's parts; no path holds one. */
const partSeparator = "\n";

/** Writes lists of records in path order, one after the other: front-coded paths, numbers as varints. */
export class PageEncoder {
  #buffer: Buffer;
  #length: number;
  #count = 0;
  #previousPath = "";
  readonly #types = new Map<string, number>();
  readonly #parts = new Map<string, number>();

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
    const { path, digest, includes } = page;
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
    let extensions = includes === undefined ? 0 : extensionIncludes;
    if (page.stamp !== undefined) extensions |= extensionStamp;
    at = putNumber(buffer, at, extensions);
    if (sizeBytes !== undefined) at = putNumber(buffer, at, sizeBytes);
    at = putTime(buffer, at, mtimeUs, mtimeSeconds);
    if ((flags & flagOwnCtime) !== 0) at = putTime(buffer, at, ctimeUs, Math.floor(ctimeUs / 1e6));
    if ((flags & flagOwnLastModified) !== 0) at = putNumber(buffer, at, lastModified);
    at = putText(buffer, at, page.mediaType, this.#types);
    if (digest !== undefined) at += buffer.write(digest, at, "base64url");
    if (page.mark !== undefined) at = encodeMark(page.mark, buffer, at);
    if (includes !== undefined) at = this.#putIncludes(buffer, at, includes);
    this.#length = page.stamp === undefined ? at : buffer.writeUInt32LE(page.stamp, at);
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
    this.#parts.clear();
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

  #putIncludes(buffer: Buffer, start: number, includes: PageIncludes): number {
    const parts = includes.parts.join(partSeparator);
    if (parts.length > maxPartsLength) throw new RangeError("too many parts to be remembered");
    checkWhole(includes.fileBytes);
    let at = putNumber(buffer, putNumber(buffer, start, includes.isDynamic ? 1 : 0), includes.fileBytes);
    for (const digest of [includes.fileDigest, includes.stamp, includes.contentDigest])
      at += buffer.write(digest, at, "base64url");
    return putText(buffer, at, parts, this.#parts);
  }
}

// Media types are few, and neighbours include the same files: the first time a text is written out behind its number.
function putText(buffer: Buffer, at: number, text: string, known: Map<string, number>): number {
  const number = known.get(text);
  if (number !== undefined) return putNumber(buffer, at, number);
  const start = putNumber(buffer, putNumber(buffer, at, known.size), text.length);
  known.set(text, known.size);
  return start + buffer.write(text, start, "latin1");
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
  readonly #parts: string[] = [];
  readonly #hasExtensions: boolean;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const header = bytes.toString("latin1", 0, pagesHeader.length);
    this.#hasExtensions = header === pagesHeader;
    if (!this.#hasExtensions && header !== firstHeader) throw new RangeError("not a list of pages");
  }

  run(): RememberedPage[] {
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
    const extensions = this.#hasExtensions ? this.#number() : 0;
    if (extensions > knownExtensions) throw new RangeError("a record of a newer version");
    const sizeBytes = (flags & flagSizeless) === 0 ? this.#number() : undefined;
    const mtimeUs = this.#time();
    const ctimeUs = (flags & flagOwnCtime) === 0 ? mtimeUs : this.#time();
    const lastModified = (flags & flagOwnLastModified) === 0 ? Math.floor(mtimeUs / 1e6) : this.#number();
    const mediaType = this.#known(this.#types);
    const digest = (flags & flagDigest) === 0 ? undefined : this.#digest();
    const racy = (flags & flagRacy) !== 0;
    const mark = (flags & flagMark) === 0 ? undefined : this.#mark();
    const includes = (extensions & extensionIncludes) === 0 ? undefined : this.#includes();
    const stamp = (extensions & extensionStamp) === 0 ? undefined : this.#stamp();
    // Nearly every page has a stamp: a copy that adds it would cost a fifth of an export without changes.
    const page: PublishedPage =
      stamp === undefined
        ? { path, sizeBytes, mtimeUs, ctimeUs, lastModified, mediaType, digest, racy }
        : { path, sizeBytes, mtimeUs, ctimeUs, lastModified, mediaType, digest, racy, stamp };
    const marked = mark === undefined ? page : { ...page, mark };
    return includes === undefined ? marked : { ...marked, includes };
  }

  #includes(): PageIncludes {
    const isDynamic = this.#number() === 1;
    const fileBytes = this.#number();
    const [fileDigest, stamp, contentDigest] = [this.#digest(), this.#digest(), this.#digest()];
    const parts = this.#known(this.#parts);
    return {
      fileBytes,
      fileDigest,
      parts: parts === "" ? [] : parts.split(partSeparator),
      stamp,
      contentDigest,
      isDynamic,
    };
  }

  #stamp(): number {
    const end = this.#at + stampBytes;
    if (end > this.#bytes.length) throw endedEarly();
    const stamp = this.#bytes.readUInt32LE(this.#at);
    this.#at = end;
    return stamp;
  }

  #digest(): string {
    return this.#take("base64url", digestBytes);
  }

  #known(texts: string[]): string {
    const number = this.#number();
    if (number === texts.length) texts.push(this.#text(""));
    const text = texts[number];
    if (text === undefined) throw new RangeError("a number without a text");
    return text;
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
