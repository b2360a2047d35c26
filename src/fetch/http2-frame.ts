/** Types of frames (RFC 9113 section 6). */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

/** Flags of frames; END_STREAM and ACK are one bit. */
export const frameFlags = { end: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** Codes of errors (RFC 9113 section 7). */
export const errorCodes = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  frameSize: 6,
  compression: 9,
  calm: 11,
} as const;

/** A frame as it came. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** 0 for the connection. */
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The largest payload that is taken, which is what both sides begin with. */
export const maxPayloadBytes = 16_384;

const headBytes = 9;
const nothing = Buffer.alloc(0);

/** Writes a frame. */
export function encodeFrame(type: number, flags: number, streamId: number, payload: Uint8Array = nothing): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
  bytes.set(payload, headBytes);
  return bytes;
}

/** Writes numbers of 32 bits. */
export function encodeNumbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

/** Cuts what comes into frames. */
export class FrameReader {
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Bytes that the next frame needs, with its head. */
  #neededBytes = headBytes;

  /** Takes a piece as it came; its memory may be kept. */
  add(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }

  /** @returns the next frame; undefined where more must come first, "too-large" for one that is not taken */
  next(): Frame | "too-large" | undefined {
    if (this.#heldBytes < this.#neededBytes) return undefined;
    const bytes = this.#held.length === 1 && this.#held[0] !== undefined ? this.#held[0] : Buffer.concat(this.#held);
    this.#held = [bytes];
    const payloadBytes = bytes.readUIntBE(0, 3);
    if (payloadBytes > maxPayloadBytes) return "too-large";
    const end = headBytes + payloadBytes;
    if (bytes.length < end) {
      this.#neededBytes = end;
      return undefined;
    }
    const frame: Frame = {
      type: bytes[3] ?? 0,
      flags: bytes[4] ?? 0,
      streamId: bytes.readUInt32BE(5) & 0x7fff_ffff,
      payload: bytes.subarray(headBytes, end),
    };
    this.#neededBytes = headBytes;
    this.#heldBytes = bytes.length - end;
    this.#held = this.#heldBytes === 0 ? [] : [bytes.subarray(end)];
    return frame;
  }
}
