import { isDigest } from "../../core/index.ts";
import { sketchLength } from "./sketch.ts";

/**
 * Says that a page's bytes may change without a change of the page, so that its record promises no
 * bytes: it is published without a digest.
 */
export interface Cover {
  /** Digest of all bytes of the file as it is. */
  readonly bytesDigest: string;
  /** Digest of what was left of the bytes as they were published, less what is ignored. */
  readonly contentDigest: string;
  /** Sketch of the visible text as it was published; undefined where texts are not compared. */
  readonly sketch: Uint8Array | undefined;
}

/** What the exporter remembers of a page's content. */
export interface ContentMark {
  /** {@link ContentRules.fingerprint} of the rules that it was made by. */
  readonly rules: number;
  /** Undefined if all bytes of the page count. */
  readonly cover: Cover | undefined;
}

/** A mark, and why the rules could not be applied, if they could not. */
export interface MarkedContent {
  readonly mark: ContentMark;
  readonly trouble?: string;
}

/** Length of a digest as text, one character a byte. */
export const contentDigestLength = 11;

const flagCover = 1;
const flagSketch = 2;
const flagEmptySketch = 4;
/** A mark's largest length in bytes. */
export const maxMarkBytes: number = 1 + 4 + 2 * contentDigestLength + sketchLength;

/**
 * Writes a mark: a byte of flags, the fingerprint (4 bytes, big-endian), and of a cover both digests
 * as they are written in archives and the sketch's 128 bytes. A mark tells its own length.
 *
 * @param target - has {@link maxMarkBytes} of room behind `at`
 * @returns where the mark ends
 */
export function encodeMark({ rules, cover }: ContentMark, target: Uint8Array, at: number): number {
  const sketch = cover?.sketch;
  let flags = cover === undefined ? 0 : flagCover;
  if (sketch !== undefined) flags |= sketch.length === 0 ? flagEmptySketch : flagSketch;
  new DataView(target.buffer, target.byteOffset, target.byteLength).setUint32(at + 1, rules);
  target[at] = flags;
  let end = at + 5;
  if (cover === undefined) return end;
  for (const digest of [cover.bytesDigest, cover.contentDigest]) {
    if (!isDigest(digest)) throw new RangeError(`not a digest: ${digest}`);
    for (let index = 0; index < contentDigestLength; index++) target[end++] = digest.charCodeAt(index);
  }
  if (sketch === undefined || sketch.length === 0) return end;
  if (sketch.length !== sketchLength) throw new RangeError("not a sketch");
  target.set(sketch, end);
  return end + sketchLength;
}

/**
 * Reads what {@link encodeMark} wrote.
 *
 * @returns the mark and where it ends; undefined if the bytes end before it does
 * @throws RangeError if that is no mark
 */
export function decodeMark(source: Uint8Array, at: number): { mark: ContentMark; end: number } | undefined {
  if (at + 5 > source.length) return undefined;
  const flags = source[at] ?? 0;
  const isCovered = (flags & flagCover) !== 0;
  if (flags > 5 || flags === (flagSketch | flagEmptySketch) || (!isCovered && flags !== 0))
    throw new RangeError("not a mark of content");
  const rules = new DataView(source.buffer, source.byteOffset, source.byteLength).getUint32(at + 1);
  let end = at + 5;
  if (!isCovered) return { mark: { rules, cover: undefined }, end };
  const length = 2 * contentDigestLength + ((flags & flagSketch) === 0 ? 0 : sketchLength);
  if (end + length > source.length) return undefined;
  const [bytesDigest, contentDigest] = [readDigest(source, end), readDigest(source, end + contentDigestLength)];
  end += 2 * contentDigestLength;
  const sketch =
    (flags & flagSketch) !== 0
      ? new Uint8Array(source.subarray(end, end + sketchLength))
      : (flags & flagEmptySketch) !== 0
        ? new Uint8Array(0)
        : undefined;
  return { mark: { rules, cover: { bytesDigest, contentDigest, sketch } }, end: end + (sketch?.length ?? 0) };
}

function readDigest(source: Uint8Array, at: number): string {
  const digest = String.fromCharCode(...source.subarray(at, at + contentDigestLength));
  if (!isDigest(digest)) throw new RangeError("not a digest");
  return digest;
}
