import { PassThrough, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { Failure } from "./failure.ts";

/** Receives the output of a {@link BodyDecoder}. */
export interface DecoderReceiver {
  onPiece(piece: Uint8Array): void;
  /** Called once, after the last piece; with a failure if the coding is broken or a decompression bomb. */
  onDecoded(failure: Failure | undefined): void;
}

const pieceBytes = 64 * 1024;
const maxCodings = 3;

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

const options = { chunkSize: pieceBytes };
// Some servers name the coding but do not apply it: then the bytes are passed on unchanged, and the receiver is
// informed.
const makeGunzip: MakeDecoder = (first) => (isGzip(first) ? zlib.createGunzip(options) : new PassThrough());

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

/** Whether a body starts like gzip (RFC 1952 section 2.3.1), as far as it has arrived. */
function isGzip(first: Uint8Array): boolean {
  return first[0] === 0x1f && (first.length === 1 || first[1] === 0x8b);
}

/** The accepted codings, as the field Accept-Encoding. */
export const acceptedCodings: string = ["gzip", "br", "zstd"].filter((coding) => decoders.has(coding)).join(", ");

/** Codings in the order of application, without those that change nothing. */
function codingsOf(contentEncoding: string | undefined): string[] {
  const codings = (contentEncoding ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== "" && coding !== "identity");
}

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
    return this.#first.write(piece);
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

  #connect(layer: number, firstPiece: Uint8Array): Transform {
    const make = decoders.get(this.#codings[layer] ?? "") ?? makeGunzip;
    const stream = make(firstPiece);
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
      if (next === undefined) this.#finish(undefined);
      else next.end();
    });
    return stream;
  }

  #pass(layer: number, stream: Transform, piece: Uint8Array): void {
    if (this.#isOver) return;
    if (layer + 1 < this.#codings.length) {
      const next = this.#streams[layer + 1] ?? this.#connect(layer + 1, piece);
      if (!next.write(piece)) stream.pause();
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

function hasZlibHeader(content: Uint8Array): boolean {
  const [method = 0, flags = 0] = content;
  return (method & 15) === 8 && ((method << 8) | flags) % 31 === 0;
}
