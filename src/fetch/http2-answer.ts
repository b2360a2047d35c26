import { createRequire } from "node:module";
import type { AnswerReceiver } from "./carrier.ts";
import type { Field } from "./hpack-table.ts";
import { areRegular, readAnswerHead } from "./http2-fields.ts";

/** What came of a frame: more is to come, the answer is whole, or it is none. */
export type Progress = "more" | "whole" | { readonly malformed: string };

const require = createRequire(import.meta.url);
const withoutBody: ReadonlySet<number> = new Set([204, 304]);

/** One answer, from the frames of its stream to its receiver; keeps to the order of RFC 9113 section 8.1. */
export class Http2Answer {
  readonly streamId: number;
  readonly receiver: AnswerReceiver;
  readonly #resume: () => void;
  #isAnswered = false;
  #bodyBytes = 0;
  #contentLength: number | undefined;

  /** @param resume - what the receiver calls after it wanted to wait */
  constructor(streamId: number, receiver: AnswerReceiver, resume: () => void) {
    this.streamId = streamId;
    this.receiver = receiver;
    this.#resume = resume;
  }

  /** Whether the fields of a final answer have come. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Of its body, until now. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Takes a block of fields. */
  takeFields(fields: readonly Field[], isEnd: boolean): Progress {
    if (this.#isAnswered) {
      if (!isEnd || !areRegular(fields)) return { malformed: "trailers that are none" };
      return this.#end();
    }
    const head = readAnswerHead(fields);
    if (head === undefined) return { malformed: "fields that are none of an answer" };
    const { status, raw } = head;
    if (status < 200 && isEnd) return { malformed: `an answer of ${status} alone` };
    this.receiver.onResponseStarted();
    if (status >= 200) {
      this.#isAnswered = true;
      this.#contentLength = withoutBody.has(status) ? undefined : head.contentLength;
    }
    this.receiver.onHeaders(status, raw, this.#resume, wordsOf(status));
    return isEnd ? this.#end() : "more";
  }

  /**
   * Takes a piece of the body.
   *
   * @param pause - called where the receiver wants to wait
   */
  takeData(piece: Buffer, isEnd: boolean, pause: () => void): Progress {
    if (!this.#isAnswered) return { malformed: "a body before any fields" };
    this.#bodyBytes += piece.length;
    if (this.#bodyBytes > (this.#contentLength ?? this.#bodyBytes)) return { malformed: "more than its length says" };
    if (piece.length > 0 && !this.receiver.onData(piece)) pause();
    return isEnd ? this.#end() : "more";
  }

  #end(): Progress {
    const isWhole = (this.#contentLength ?? this.#bodyBytes) === this.#bodyBytes;
    return isWhole ? "whole" : { malformed: "less than its length says" };
  }
}

// A command that asks nobody does not load it.
function wordsOf(status: number): string {
  const { STATUS_CODES }: typeof import("node:http") = require("node:http");
  return STATUS_CODES[status] ?? "";
}
