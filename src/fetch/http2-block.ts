import { type Frame, frameFlags as flags, frameTypes as types } from "./http2-frame.ts";

/** The fields of an answer as they came, still packed. */
export interface FieldBlock {
  readonly streamId: number;
  /** Whether nothing follows them. */
  readonly isEnd: boolean;
  readonly bytes: Buffer;
}

/** More than this is no answer's: unpacked it would only be more. */
const maxBlockBytes = 64 * 1024;
const maxPieces = 64;
const priorityBytes = 5;

/** Puts the pieces of a block of fields together (RFC 9113 sections 6.2 and 6.10). */
export class BlockReader {
  #streamId = 0;
  #isEnd = false;
  #pieces: Buffer[] = [];
  #bytes = 0;

  /**
   * Takes a frame.
   *
   * @returns the block that it ends; "more" for a piece that does not; undefined for a frame that is none of a block, and
   *   "broken" for one that cannot be where it is
   */
  take({ type, flags: flag, streamId, payload }: Frame): FieldBlock | "more" | "broken" | undefined {
    const isBegun = this.#pieces.length > 0;
    const isFirst = type === types.headers;
    if (!isFirst && type !== types.continuation) return isBegun ? "broken" : undefined;
    if (isBegun === isFirst || (isBegun && streamId !== this.#streamId)) return "broken";
    const piece = isFirst ? withoutPadding(payload, flag, (flag & flags.priority) === 0 ? 0 : priorityBytes) : payload;
    this.#bytes += piece?.length ?? 0;
    if (piece === undefined || this.#bytes > maxBlockBytes || this.#pieces.length >= maxPieces) return "broken";
    if (isFirst) {
      this.#streamId = streamId;
      this.#isEnd = (flag & flags.end) !== 0;
    }
    this.#pieces.push(piece);
    if ((flag & flags.endHeaders) === 0) return "more";
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return { streamId: this.#streamId, isEnd: this.#isEnd, bytes };
  }
}

/**
 * What a frame carries, without its padding.
 *
 * @param before - bytes of other things at its beginning
 * @returns undefined where it is shorter than its padding (RFC 9113 section 6.1)
 */
export function withoutPadding(payload: Buffer, flag: number, before = 0): Buffer | undefined {
  const isPadded = (flag & flags.padded) !== 0;
  const start = before + (isPadded ? 1 : 0);
  const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
  return start > end ? undefined : payload.subarray(start, end);
}
