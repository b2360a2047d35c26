import { PassThrough, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import { excerpt, ok, type Problem, problem, type Result } from "../core/index.ts";
import type { Failure } from "./failure.ts";
import { ZstdFrames } from "./zstd-frames.ts";

/** Larger steps than zlib's 16 KiB: fewer pieces to join, and the overshoot beyond the bound is at most one step. An archive comes in one. */
const stepBytes = 64 * 1024;
/** Small inputs do not allocate the largest step. */
const leastStepBytes = 1024;
const usualRatio = 8;

const maxCodings = 3;

/**
 * Decodes gzip of an archive or an index.
 *
 * @param body - as received. Without gzip's magic bytes it is returned unchanged, because a proxy has decoded it; if a
 * proxy added another layer, that is decoded too
 * @param maxBytes - largest result
 * @returns a problem `too-large` or `bad-coding` otherwise
 */
export function unpackArchive(body: Uint8Array, maxBytes: number): Result<Uint8Array> {
  let content = body;
  for (let layer = 0; layer < 2 && isGzip(content); layer++) {
    // One byte more shows that nothing follows; DEFLATE expands at most 1032 times.
    const step = Math.min(readGzipLength(content) + 1, maxBytes, 1032 * content.length);
    const decoded = decodeOne(zlib.gunzipSync, content, maxBytes, step);
    if (!decoded.ok) return decoded;
    content = decoded.value;
  }
  return content.length > maxBytes ? tooLarge(maxBytes) : ok(content);
}

/** The length that gzip says its content has (RFC 1952 section 2.3.1, ISIZE); anybody can write it. */
function readGzipLength(packed: Uint8Array): number {
  const last = packed.length - 4;
  return last < 0 ? 0 : new DataView(packed.buffer, packed.byteOffset + last).getUint32(0, true);
}

/**
 * Decodes the content codings of a page.
 *
 * @param contentEncoding - codings in the order of application, separated by commas
 * @param maxBytes - largest result, also between two codings
 * @returns a problem `too-large`, `bad-coding` or `unknown-coding` otherwise
 * @see RFC 9110 section 8.4
 */
export function decodeBody(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Result<Uint8Array> {
  const applied = codingsOf(contentEncoding);
  if (applied.length > maxCodings) return problem("unknown-coding", `${applied.length} nested content codings`);
  let content = body;
  for (const coding of applied.reverse()) {
    const decoded = decodeCoding(content, coding, maxBytes);
    if (!decoded.ok) return decoded;
    content = decoded.value;
  }
  return content.length > maxBytes ? tooLarge(maxBytes) : ok(content);
}

/** Codings in the order of application, without those that change nothing. */
function codingsOf(contentEncoding = ""): string[] {
  const codings = contentEncoding.split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "identity");
}

function decodeCoding(content: Uint8Array, coding: string, maxBytes: number): Result<Uint8Array> {
  if (coding === "gzip" || coding === "x-gzip") return decodeOne(zlib.gunzipSync, content, maxBytes);
  if (coding === "br") return decodeOne(zlib.brotliDecompressSync, content, maxBytes);
  if (coding !== "deflate") return problem("unknown-coding", `not a coding that can be undone: ${excerpt(coding)}`);
  // RFC 9110 section 8.4.1.2: some servers omit the zlib wrapper.
  return decodeOne(hasZlibHeader(content) ? zlib.inflateSync : zlib.inflateRawSync, content, maxBytes);
}

function decodeOne(
  decode: (content: Uint8Array, options: zlib.ZlibOptions) => Buffer,
  content: Uint8Array,
  maxBytes: number,
  leastStep = leastStepBytes,
): Result<Uint8Array> {
  try {
    const chunkSize = Math.max(leastStep, leastStepBytes, Math.min(stepBytes, content.length * usualRatio));
    return ok(decode(content, { maxOutputLength: Math.max(1, maxBytes), chunkSize }));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
    return problem("bad-coding", `the coding is broken: ${(error as Error).message}`);
  }
}

/** Whether a body starts like gzip (RFC 1952 section 2.3.1). */
function isGzip(content: Uint8Array): boolean {
  return content[0] === 0x1f && content[1] === 0x8b;
}

function hasZlibHeader(content: Uint8Array): boolean {
  const [method = 0, flags] = content;
  // Of a first piece of one byte no more is known.
  return (method & 15) === 8 && (flags === undefined || ((method << 8) | flags) % 31 === 0);
}

function tooLarge(maxBytes: number): { readonly ok: false; readonly error: Problem } {
  return problem("too-large", `more than ${maxBytes} bytes after decoding`);
}

/** Receives the output of a {@link BodyDecoder}. */
export interface DecoderReceiver {
  onPiece(piece: Uint8Array): void;
  /** Called once, after the last piece; with a failure if the coding is broken or a decompression bomb. */
  onDecoded(failure: Failure | undefined): void;
}

/** So many bytes may always come out. */
const freeBytes = 4 * 1024 * 1024;
/**
 * Beyond that, most output bytes per input byte: DEFLATE expands at most 1032 times, Brotli and zstd a hundred times
 * that.
 */
const maxRatio = 500;

type MakeDecoder = (first: Uint8Array) => Transform;

const { createZstdDecompress, constants } = zlib as {
  readonly createZstdDecompress?: (options: object) => Transform;
  readonly constants: { readonly ZSTD_d_windowLogMax?: number };
};

const options = { chunkSize: stepBytes };
// Some servers name the coding but do not apply it: then the bytes are passed on unchanged, and the receiver is
// informed.
const makeGunzip: MakeDecoder = (first) =>
  isGzip(first) || (first.length === 1 && first[0] === 0x1f) ? zlib.createGunzip(options) : new PassThrough();

const decoders: ReadonlyMap<string, MakeDecoder> = new Map([
  ["gzip", makeGunzip],
  ["x-gzip", makeGunzip],
  ["br", () => zlib.createBrotliDecompress(options)],
  // Never requested: whether the wrapper of RFC 1950 is present is a guess (RFC 9110 section 8.4.1.2).
  ["deflate", (first) => (hasZlibHeader(first) ? zlib.createInflate(options) : zlib.createInflateRaw(options))],
  ...zstdDecoder(),
]);

function zstdDecoder(): [string, MakeDecoder][] {
  const windowLogMax = constants.ZSTD_d_windowLogMax;
  if (createZstdDecompress === undefined || windowLogMax === undefined) return [];
  // RFC 9659 section 3: a window has at most 8 MiB.
  return [["zstd", () => createZstdDecompress({ ...options, params: { [windowLogMax]: 23 } })]];
}

/** The accepted codings, as the field Accept-Encoding. */
export const acceptedCodings: string = ["gzip", "br", "zstd"].filter((coding) => decoders.has(coding)).join(", ");

/**
 * Decodes the content codings of a body while it arrives, with a bound on the expansion.
 *
 * Memory: one piece and the window of each coding, at most 16 MiB for Brotli.
 */
export class BodyDecoder {
  readonly #codings: readonly string[];
  readonly #receiver: DecoderReceiver;
  readonly #onDrain: () => void;
  #first: Transform | undefined;
  readonly #streams: Transform[] = [];
  /** Of the layers that are zstd. */
  readonly #frames = new Map<Transform, ZstdFrames>();
  #inBytes = 0;
  #outBytes = 0;
  #isOver = false;
  #hasUnused = false;

  /**
   * @param contentEncoding - the field of the response
   * @returns undefined if there is nothing to decode, a failure if it cannot be decoded
   */
  static for(
    contentEncoding: string | undefined,
    receiver: DecoderReceiver,
    onDrain: () => void,
  ): BodyDecoder | Failure | undefined {
    const codings = codingsOf(contentEncoding);
    if (codings.length === 0) return undefined;
    const isKnown = codings.length <= maxCodings && codings.every((coding) => decoders.has(coding));
    if (isKnown) return new BodyDecoder(codings.reverse(), receiver, onDrain);
    return {
      reason: "bad-coding",
      message: `the body has codings that are not undone: ${codings.join(", ").slice(0, 80)}`,
    };
  }

  private constructor(codings: readonly string[], receiver: DecoderReceiver, onDrain: () => void) {
    this.#codings = codings;
    this.#receiver = receiver;
    this.#onDrain = onDrain;
  }

  /** Whether a named coding was not applied; then the body may not be what it claims. */
  get hasUnused(): boolean {
    return this.#hasUnused;
  }

  /**
   * Decodes a piece.
   *
   * @returns false if the caller should wait for the drain before the next piece
   */
  write(piece: Uint8Array): boolean {
    if (this.#isOver || piece.length === 0) return true;
    this.#inBytes += piece.length;
    this.#first ??= this.#connect(0, piece);
    return this.#feed(this.#first, piece);
  }

  /** Ends the body. An empty body is empty content, whatever coding was named. */
  end(): void {
    if (this.#first === undefined) this.#finish(undefined);
    else this.#first.end();
  }

  /** Aborts decoding. */
  destroy(): void {
    this.#isOver = true;
    for (const stream of this.#streams) stream.destroy();
  }

  #feed(stream: Transform, piece: Uint8Array): boolean {
    const frames = this.#frames.get(stream);
    const parts = frames?.split(piece) ?? [piece];
    if (frames?.areTooMany === true) {
      this.#finish({ reason: "bad-coding", message: "the coding has too many frames" });
      return true;
    }
    let isReady = true;
    for (const part of parts) isReady = stream.write(part);
    return isReady;
  }

  #connect(layer: number, firstPiece: Uint8Array): Transform {
    const coding = this.#codings[layer] ?? "";
    const make = decoders.get(coding) ?? makeGunzip;
    const stream = make(firstPiece);
    if (coding === "zstd") this.#frames.set(stream, new ZstdFrames());
    this.#hasUnused ||= stream instanceof PassThrough;
    this.#streams.push(stream);
    stream.on("error", (error) =>
      this.#finish({ reason: "bad-coding", message: `the coding is broken: ${error.message}` }),
    );
    stream.on("drain", () => {
      const before = this.#streams[layer - 1];
      if (before === undefined) this.#onDrain();
      else before.resume();
    });
    stream.on("data", (piece: Uint8Array) => this.#pass(layer, stream, piece));
    stream.on("end", () => {
      const next = this.#streams[layer + 1];
      if (this.#frames.get(stream)?.isWhole === false)
        this.#finish({ reason: "bad-coding", message: "the coding is broken: a frame is cut off" });
      else if (next === undefined) this.#finish(undefined);
      else next.end();
    });
    return stream;
  }

  #pass(layer: number, stream: Transform, piece: Uint8Array): void {
    if (this.#isOver) return;
    if (layer + 1 < this.#codings.length) {
      const next = this.#streams[layer + 1] ?? this.#connect(layer + 1, piece);
      if (!this.#feed(next, piece)) stream.pause();
      this.#bound(piece.length);
      return;
    }
    if (this.#bound(piece.length)) this.#receiver.onPiece(piece);
  }

  // The output between two codings counts too: a bomb may shrink again.
  #bound(bytes: number): boolean {
    this.#outBytes += bytes;
    if (this.#outBytes <= freeBytes + maxRatio * this.#inBytes) return true;
    const message = `${this.#outBytes} bytes or more come out of ${this.#inBytes}: a decompression bomb`;
    this.#finish({ reason: "too-large", message });
    return false;
  }

  #finish(failure: Failure | undefined): void {
    if (this.#isOver) return;
    this.destroy();
    this.#receiver.onDecoded(failure);
  }
}
