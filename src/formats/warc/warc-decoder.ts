import { ok, problem, type Result } from "../../core/index.ts";
import { maxWarcHeadBytes, parseWarcHead, type WarcHead, warcRecordEnd } from "./warc-record.ts";

/** Takes records as they are read. */
export interface WarcSink {
  head(head: WarcHead): void;
  /** A piece of the block; only valid during the call. */
  block(piece: Uint8Array): void;
  /** The record is whole. */
  end(): void;
}

const lineFeed = 10;

/**
 * Reads unpacked records piece by piece. Memory is one head, of at most 64 KiB.
 *
 * @see WARC 1.1 (ISO 28500:2017) section 4
 */
export class WarcDecoder {
  readonly #sink: WarcSink;
  #state: "head" | "block" | "tail" = "head";
  #head: number[] = [];
  #left = 0;

  constructor(sink: WarcSink) {
    this.#sink = sink;
  }

  /** @returns a problem `bad-record`; nothing may be pushed after one */
  push(chunk: Uint8Array): Result<undefined> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#state === "head") {
        const byte = chunk[at++] ?? 0;
        this.#head.push(byte);
        if (this.#head.length > maxWarcHeadBytes) return problem("bad-record", "a head without an end");
        if (byte === lineFeed && this.#isHeadWhole()) {
          const head = parseWarcHead(Uint8Array.from(this.#head).subarray(0, -4));
          if (!head.ok) return head;
          this.#head = [];
          this.#left = head.value.lengthBytes;
          this.#sink.head(head.value);
          this.#enterBlock();
        }
      } else if (this.#state === "block") {
        const piece = chunk.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        this.#sink.block(piece);
        this.#enterBlock();
      } else {
        if (chunk[at++] !== warcRecordEnd.charCodeAt(warcRecordEnd.length - this.#left))
          return problem("bad-record", "the block is longer than its head says");
        if (--this.#left === 0) {
          this.#state = "head";
          this.#sink.end();
        }
      }
    }
    return ok(undefined);
  }

  /** @returns a problem `bad-record` if the last record is not whole */
  end(): Result<undefined> {
    const isWhole = this.#state === "head" && this.#head.length === 0;
    return isWhole ? ok(undefined) : problem("bad-record", "the record is cut off");
  }

  #enterBlock(): void {
    this.#state = this.#left === 0 ? "tail" : "block";
    if (this.#left === 0) this.#left = warcRecordEnd.length;
  }

  #isHeadWhole(): boolean {
    const end = this.#head.slice(-4);
    return end[0] === 13 && end[1] === lineFeed && end[2] === 13;
  }
}
