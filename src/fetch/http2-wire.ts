import { HpackDecoder } from "./hpack-decoder.ts";
import { encodeFields } from "./hpack-encoder.ts";
import type { Field } from "./hpack-table.ts";
import { BlockReader, type FieldBlock, withoutPadding } from "./http2-block.ts";
import type { Farewell } from "./http2-failure.ts";
import {
  encodeFrame,
  encodeNumbers,
  errorCodes,
  type Frame,
  FrameReader,
  frameFlags as flags,
  maxPayloadBytes,
  frameTypes as types,
} from "./http2-frame.ts";
import { encodeGreeting, firstSettings, maxWindowBytes, readSettings, windowBytes } from "./http2-settings.ts";
import { Upload } from "./http2-upload.ts";

/** Told of what came for a stream that was opened; those of streams that have ended come as well. */
export interface WireListener {
  onFields(streamId: number, fields: readonly Field[], isEnd: boolean): void;
  onData(streamId: number, piece: Buffer, isEnd: boolean): void;
  onReset(streamId: number, code: number): void;
  onFarewell(farewell: Farewell): void;
}

/** A rule that the server broke; the connection can carry no more. */
export interface Violation {
  /** As the server is told. */
  readonly code: number;
  readonly message: string;
}

const pingBytes = 8;
const farewellBytes = 8;

/** The frames of one connection, in both directions, without the socket. */
export class Http2Wire {
  readonly #maxFieldBytes: number;
  readonly #listener: WireListener;
  readonly #reader = new FrameReader();
  readonly #blocks = new BlockReader();
  readonly #decoder = new HpackDecoder();
  readonly #upload = new Upload();
  #settings = firstSettings;
  #isGreeted = false;
  #isAcknowledged = false;
  #lastStreamId = -1;
  /** Bytes of bodies that came since the windows were opened. */
  #connectionBytes = 0;
  #streamBytes = 0;
  #out: Buffer[] = [];

  /** @param maxFieldBytes - bound on the size of the fields of an answer */
  constructor(maxFieldBytes: number, listener: WireListener) {
    this.#maxFieldBytes = maxFieldBytes;
    this.#listener = listener;
    this.#out.push(encodeGreeting(maxFieldBytes));
  }

  /** Whether the server takes a stream; before it has said so, it does. */
  get isOpen(): boolean {
    return this.#settings.maxStreams > 0;
  }

  /** @returns what is to be written now, in pieces */
  takeOutput(): Buffer[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  /**
   * Sends a request; its body goes out as the server opens its windows.
   *
   * @param streamId - odd, and higher than all before
   */
  request(streamId: number, fields: readonly Field[], body: Buffer): void {
    this.#lastStreamId = streamId;
    this.#streamBytes = 0;
    const block = encodeFields(fields);
    for (let at = 0; at === 0 || at < block.length; at += maxPayloadBytes) {
      const isLast = at + maxPayloadBytes >= block.length;
      const flag = (isLast ? flags.endHeaders : 0) | (at === 0 && body.length === 0 ? flags.end : 0);
      const type = at === 0 ? types.headers : types.continuation;
      this.#out.push(encodeFrame(type, flag, streamId, block.subarray(at, at + maxPayloadBytes)));
    }
    this.#upload.begin(streamId, body, this.#settings.windowBytes);
    this.#out.push(...this.#upload.take());
  }

  /** Ends a stream of which no more is wanted. */
  reset(streamId: number, code: number): void {
    this.#upload.stop();
    this.#out.push(encodeFrame(types.reset, 0, streamId, encodeNumbers(code)));
  }

  /** Says that no more will be read. */
  leave(code: number): void {
    this.#out.push(encodeFrame(types.goaway, 0, 0, encodeNumbers(0, code)));
  }

  /** Ends what remains to be sent of a request, where its answer is whole already. */
  stopUpload(streamId: number): void {
    if (this.#upload.isUnfinished) this.reset(streamId, errorCodes.none);
  }

  /**
   * Takes a piece as it came, and tells the listener what it holds.
   *
   * @param mayGoOn - asked between two frames
   * @returns the rule that it breaks
   */
  receive(piece: Buffer, mayGoOn: () => boolean): Violation | undefined {
    this.#reader.add(piece);
    while (mayGoOn()) {
      const frame = this.#reader.next();
      if (frame === undefined) return undefined;
      if (frame === "too-large") return broken("a frame that is too large", errorCodes.frameSize);
      const violation = this.#take(frame);
      if (violation !== undefined) return violation;
    }
    return undefined;
  }

  #take(frame: Frame): Violation | undefined {
    const { type, flags: flag, streamId } = frame;
    // RFC 9113 section 3.4.
    if (!this.#isGreeted && (type !== types.settings || (flag & flags.ack) !== 0))
      return broken("no settings at first");
    this.#isGreeted = true;
    const block = this.#blocks.take(frame);
    if (block === "broken") return broken("fields in pieces that do not fit");
    if (block === "more") return undefined;
    if (block !== undefined) return this.#takeBlock(block);
    if (type === types.push) return broken("a promise that nobody wants");
    if (type === types.settings) return this.#takeSettings(frame);
    if (type === types.ping) return this.#takePing(frame);
    if (type === types.goaway) return this.#takeFarewell(frame);
    if (type === types.window) return this.#takeWindow(frame);
    if (type === types.data) return this.#takeData(frame);
    if (type === types.reset) return this.#takeReset(frame);
    // RFC 9113 section 5.5; and priorities, which no client is told.
    return type === types.priority && streamId === 0 ? broken("a priority of no stream") : undefined;
  }

  #takeBlock({ streamId, isEnd, bytes }: FieldBlock): Violation | undefined {
    if (!this.#isKnown(streamId)) return broken("fields of a stream that nobody opened");
    // Also those that nobody wants: later ones refer to them.
    const fields = this.#decoder.decode(bytes, this.#maxFieldBytes);
    if (fields === "too-large") return broken("the fields of the answer are too large", errorCodes.calm);
    if (fields === "broken") return broken("fields that do not unpack", errorCodes.compression);
    this.#listener.onFields(streamId, fields, isEnd);
    return undefined;
  }

  #takeData({ flags: flag, streamId, payload }: Frame): Violation | undefined {
    if (!this.#isKnown(streamId)) return broken("a body of a stream that nobody opened");
    const piece = withoutPadding(payload, flag);
    if (piece === undefined) return broken("padding that is longer than its frame");
    const isNow = streamId === this.#lastStreamId;
    this.#connectionBytes += payload.length;
    if (isNow) this.#streamBytes += payload.length;
    if (Math.max(this.#connectionBytes, this.#streamBytes) > windowBytes)
      return broken("more than the window", errorCodes.flowControl);
    const isEnd = (flag & flags.end) !== 0;
    this.#listener.onData(streamId, piece, isEnd);
    if (this.#connectionBytes > windowBytes / 2) {
      this.#out.push(encodeFrame(types.window, 0, 0, encodeNumbers(this.#connectionBytes)));
      this.#connectionBytes = 0;
    }
    if (this.#streamBytes > windowBytes / 2 && !isEnd) {
      this.#out.push(encodeFrame(types.window, 0, streamId, encodeNumbers(this.#streamBytes)));
      this.#streamBytes = 0;
    }
    return undefined;
  }

  #takeReset({ streamId, payload }: Frame): Violation | undefined {
    if (payload.length !== 4) return broken("a reset of another length", errorCodes.frameSize);
    if (!this.#isKnown(streamId)) return broken("a reset of a stream that nobody opened");
    if (streamId === this.#lastStreamId) this.#upload.stop();
    this.#listener.onReset(streamId, payload.readUInt32BE(0));
    return undefined;
  }

  #takeSettings({ flags: flag, streamId, payload }: Frame): Violation | undefined {
    if (streamId !== 0) return broken("settings of a stream");
    if ((flag & flags.ack) !== 0) {
      if (payload.length > 0) return broken("an acknowledgement that says more", errorCodes.frameSize);
      if (this.#isAcknowledged) return broken("an acknowledgement that nobody asked for");
      this.#isAcknowledged = true;
      return undefined;
    }
    const settings = readSettings(this.#settings, payload);
    if (typeof settings === "number") return broken("settings that cannot be", settings);
    const widened = settings.windowBytes - this.#settings.windowBytes;
    this.#settings = settings;
    this.#out.push(encodeFrame(types.settings, flags.ack, 0));
    return this.#open(this.#lastStreamId, widened);
  }

  #takePing({ flags: flag, streamId, payload }: Frame): Violation | undefined {
    if (streamId !== 0) return broken("a PING of a stream");
    if (payload.length !== pingBytes) return broken("a PING of another length", errorCodes.frameSize);
    if ((flag & flags.ack) === 0) this.#out.push(encodeFrame(types.ping, flags.ack, 0, payload));
    return undefined;
  }

  #takeFarewell({ streamId, payload }: Frame): Violation | undefined {
    if (streamId !== 0) return broken("a GOAWAY of a stream");
    if (payload.length < farewellBytes) return broken("a GOAWAY of another length", errorCodes.frameSize);
    const lastStreamId = payload.readUInt32BE(0) & maxWindowBytes;
    this.#listener.onFarewell({ lastStreamId, code: payload.readUInt32BE(4) });
    return undefined;
  }

  #takeWindow({ streamId, payload }: Frame): Violation | undefined {
    if (payload.length !== 4) return broken("a window of another length", errorCodes.frameSize);
    if (streamId !== 0 && !this.#isKnown(streamId)) return broken("a window of a stream that nobody opened");
    const bytes = payload.readUInt32BE(0) & maxWindowBytes;
    return bytes === 0 ? broken("a window that opens by nothing") : this.#open(streamId, bytes);
  }

  #open(streamId: number, bytes: number): Violation | undefined {
    if (!this.#upload.open(streamId, bytes)) return broken("a window that opens too far", errorCodes.flowControl);
    this.#out.push(...this.#upload.take());
    return undefined;
  }

  // RFC 9113 section 5.1.1: ours are odd.
  #isKnown(streamId: number): boolean {
    return streamId % 2 === 1 && streamId <= this.#lastStreamId;
  }
}

function broken(message: string, code: number = errorCodes.protocol): Violation {
  return { code, message };
}
