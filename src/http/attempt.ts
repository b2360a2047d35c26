import type { ExchangeSink, FetchRequest } from "../core/index.ts";
import { type AnswerFields, readAllFields, readAnswerFields } from "./answer-fields.ts";
import type { AnswerReceiver } from "./connection.ts";
import { BodyDecoder, type DecoderReceiver } from "./content-coding.ts";
import { classifyError, type Failure, isClosedConnection, type Progress } from "./failure.ts";

/** A response with as much of its body as is wanted. */
export interface Answer {
  readonly status: number;
  readonly fields: AnswerFields;
  /** Empty if a sink received it, and for every status except 200 and 206. */
  readonly body: Uint8Array;
  /** Whether the named content codings were really applied, and decoded. */
  readonly isDecoded: boolean;
  /** Whether the body is complete and its length matches its fields. */
  readonly isMeasured: boolean;
}

/** How one request ended. */
export type AttemptEnd =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The connection was closed before the first byte of a response. */
  | { readonly kind: "unanswered"; readonly failure: Failure }
  /** A local error: the sink threw, or the request is malformed. */
  | { readonly kind: "broken"; readonly error: unknown };

/** Called with the head of a response. @returns the sink of its body, if there is one */
export type HeadWatcher = (status: number, raw: readonly Uint8Array[], reason: string) => ExchangeSink | undefined;

/** So many bytes of an unwanted body are read to keep the connection usable. */
const maxDroppedBytes = 64 * 1024;
/** More interim responses than this are an abuse. */
const maxInterimAnswers = 20;

/**
 * One request and its response, within bounds.
 *
 * Uses undici's older callbacks: the newer ones build an object of all fields of each response, which costs a third of
 * the time of a small page.
 */
export class Attempt implements AnswerReceiver, DecoderReceiver {
  readonly #request: FetchRequest;
  readonly #onEnd: (end: AttemptEnd, receivedBytes: number) => void;
  readonly #dropConnection: () => void;
  readonly #watchHead: HeadWatcher | undefined;
  readonly #onReceived: (bytes: number) => void;
  #tap: ExchangeSink | undefined;
  #progress: Progress = "connecting";
  #status = 0;
  #fields: AnswerFields | undefined;
  #isWanted = false;
  readonly #body = new BodyBuffer();
  #decoder: BodyDecoder | undefined;
  #interimAnswers = 0;
  #takenBytes = 0;
  #receivedBytes = 0;
  /** Whether the whole encoded body came. */
  #isWhole = false;
  #isOver = false;

  /**
   * @param dropConnection - ends the connection at once, even while it is being made
   * @param watchHead - receives heads and bodies as they came
   * @param onReceived - called with the number of body bytes received
   */
  constructor(
    request: FetchRequest,
    dropConnection: () => void,
    onEnd: (end: AttemptEnd, receivedBytes: number) => void,
    watchHead?: HeadWatcher,
    onReceived: (bytes: number) => void = () => undefined,
  ) {
    this.#onReceived = onReceived;
    this.#watchHead = watchHead;
    this.#request = request;
    this.#dropConnection = dropConnection;
    this.#onEnd = onEnd;
  }

  /** Stops it from outside. If the body was not wanted anyway, a known status remains the outcome. */
  stop(failure: Failure): void {
    if (this.#fields !== undefined && !this.#isWanted) this.#answer("drop");
    else this.#end({ kind: "failed", failure }, "drop");
  }

  onConnect(): void {
    this.#progress = "sent";
  }

  onResponseStarted(): void {
    this.#progress = "answering";
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void, reason: string): boolean {
    if (this.#isOver) return true;
    if (status < 200) {
      this.#countInterim();
      return true;
    }
    this.#progress = "body";
    this.#status = status;
    this.#fields = readAnswerFields(raw);
    this.#request.onAnswer?.({ status, fields: readAllFields(raw) });
    this.#tap = this.#watchHead?.(status, raw, reason);
    this.#isWanted = status === 200 || status === 206;
    const { maxBytes, truncateAtBytes } = this.#request;
    const { contentLength = 0, transferEncoding = "chunked" } = this.#fields;
    if (this.#isWanted && transferEncoding !== "chunked") this.#refuseTransfer(transferEncoding);
    else if (this.#isWanted && truncateAtBytes === undefined && contentLength > maxBytes) this.#refuse(contentLength);
    else if (this.#isWanted && this.#request.acceptCoding === true) this.#decode(resume);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    this.#receivedBytes += chunk.length;
    this.#onReceived(chunk.length);
    this.#tap?.write(chunk);
    if (this.#decoder !== undefined) return this.#decoder.write(chunk);
    if (this.#isWanted) this.#take(chunk);
    else if (this.#receivedBytes > maxDroppedBytes) this.#answer("drop");
    return true;
  }

  onComplete(): void {
    if (this.#decoder === undefined) {
      this.#endTap(true);
      this.#answer("keep");
    } else if (!this.#isOver) {
      this.#isWhole = true;
      this.#decoder.end();
    }
  }

  onPiece(piece: Uint8Array): void {
    if (!this.#isOver) this.#take(piece);
  }

  onDecoded(failure: Failure | undefined): void {
    // If the coding ends before the body, bytes remain on the connection.
    const connection = this.#isWhole ? "keep" : "drop";
    this.#endTap(failure === undefined);
    if (failure === undefined) this.#answer(connection);
    else this.#end({ kind: "failed", failure }, connection);
  }

  onError(error: Error): void {
    if (this.#isOver) return;
    const { code } = error as { code?: unknown };
    if (code === "UND_ERR_INVALID_ARG") {
      this.#end({ kind: "broken", error: new TypeError(`not a request: ${error.message}`, { cause: error }) }, "keep");
    } else if (this.#fields !== undefined && !this.#isWanted) this.#answer("keep");
    else {
      const isUnanswered = this.#progress === "sent" && isClosedConnection(error);
      const kind = isUnanswered ? "unanswered" : "failed";
      this.#end({ kind, failure: classifyError(error, this.#progress) }, "keep");
    }
  }

  #countInterim(): void {
    this.#interimAnswers++;
    if (this.#interimAnswers <= maxInterimAnswers) return;
    const failure: Failure = { reason: "protocol", message: "the server sends too many interim answers" };
    this.#end({ kind: "failed", failure }, "drop");
  }

  #decode(resume: () => void): void {
    const decoder = BodyDecoder.for(this.#fields?.contentEncoding, this, resume);
    if (decoder instanceof BodyDecoder) this.#decoder = decoder;
    else if (decoder !== undefined) this.#end({ kind: "failed", failure: decoder }, "drop");
  }

  #take(chunk: Uint8Array): void {
    const failure = this.#request.onProgress?.(chunk.length);
    if (failure !== undefined) {
      this.#end({ kind: "failed", failure }, "drop");
      return;
    }
    const { maxBytes, truncateAtBytes, sink } = this.#request;
    const spaceBytes = (truncateAtBytes ?? maxBytes) - this.#takenBytes;
    if (chunk.length > spaceBytes && truncateAtBytes === undefined) {
      this.#refuse(this.#receivedBytes);
      return;
    }
    const piece = chunk.length > spaceBytes ? chunk.subarray(0, spaceBytes) : chunk;
    this.#takenBytes += piece.length;
    if (sink === undefined) this.#body.add(piece);
    else {
      try {
        sink.write(piece);
      } catch (error) {
        this.#end({ kind: "broken", error }, "drop");
        return;
      }
    }
    // Content-Length counts encoded bytes.
    const isMoreToCome = this.#decoder === undefined && (this.#fields?.contentLength ?? 0) > this.#takenBytes;
    if (piece.length < chunk.length || (this.#takenBytes === truncateAtBytes && isMoreToCome)) this.#answer("drop");
  }

  // RFC 9112 section 6.1: with any other transfer coding the body would be misread.
  #refuseTransfer(transferEncoding: string): void {
    const message = `the body has transfer codings that are not undone: ${transferEncoding.slice(0, 80)}`;
    this.#end({ kind: "failed", failure: { reason: "bad-coding", message } }, "drop");
  }

  #refuse(sizeBytes: number): void {
    const message = `the body has ${sizeBytes} bytes or more, and ${this.#request.maxBytes} are allowed`;
    this.#end({ kind: "failed", failure: { reason: "too-large", message } }, "drop");
  }

  #answer(connection: "keep" | "drop"): void {
    if (this.#fields === undefined) return;
    const isDecoded = this.#decoder?.hasUnused === false;
    const isMeasured = connection === "keep" && this.#isWanted && this.#fields.contentLength !== undefined;
    const answer = { status: this.#status, fields: this.#fields, body: this.#body.bytes, isDecoded, isMeasured };
    this.#end({ kind: "answered", answer }, connection);
  }

  #endTap(isWhole: boolean): void {
    const tap = this.#tap;
    this.#tap = undefined;
    tap?.end(isWhole);
  }

  #end(end: AttemptEnd, connection: "keep" | "drop"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#decoder?.destroy();
    this.#endTap(false);
    if (connection === "drop") this.#dropConnection();
    this.#onEnd(end, this.#receivedBytes);
  }
}

const firstBytes = 64 * 1024;
const nothing = new Uint8Array(0);

/**
 * A body in memory. Its cost follows the number of bytes, however small the pieces.
 *
 * A list of pieces would cost a hundred bytes per piece: a server must not exhaust memory by sending single bytes.
 */
class BodyBuffer {
  #bytes: Uint8Array = nothing;
  #length = 0;

  /** Adds a piece. The first is not copied, because most bodies come in one piece. */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      this.#bytes = piece;
    } else {
      if (length > this.#bytes.length || this.#bytes.length === this.#length) this.#grow(length);
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  /** The bytes so far. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(neededBytes: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * neededBytes));
    grown.set(this.bytes);
    this.#bytes = grown;
  }
}
