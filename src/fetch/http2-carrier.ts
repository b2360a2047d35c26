import type { TLSSocket } from "node:tls";
import type { AnswerReceiver, Carrier, Message } from "./carrier.ts";
import type { Field } from "./hpack-table.ts";
import { maxFieldBytes } from "./http1-carrier.ts";
import { Http2Answer, type Progress } from "./http2-answer.ts";
import { type Farewell, isHttp1Required, judgeStreamEnd, protocolError } from "./http2-failure.ts";
import { fieldsOfRequest } from "./http2-fields.ts";
import { errorCodes } from "./http2-frame.ts";
import { Http2Wire, type WireListener } from "./http2-wire.ts";

/** Who is told of a connection's fate. */
export interface Http2Listener {
  /** Called once the connection has ended, by whomever. */
  readonly onLost: (carrier: Carrier) => void;
  /** Called when the server wants to be spoken to in HTTP/1.1. */
  readonly onHttp1Required: () => void;
}

/** A server may send so much beside the body of its answer, and as much again as the body has. */
const freeBytes = 1024 * 1024;
/** As undici does with those of HTTP/1.1, a connection is ended after so long without a request. */
const idleMs = 4000;
const lastStreamId = 2 ** 31 - 1;

/** One connection of HTTP/2 (RFC 9113), with one stream at a time. */
export class Http2Carrier implements Carrier, WireListener {
  readonly protocol = "h2";
  readonly #socket: TLSSocket;
  readonly #listener: Http2Listener;
  readonly #authority: string;
  readonly #wire: Http2Wire = new Http2Wire(maxFieldBytes, this);
  readonly #idle: NodeJS.Timeout;
  #nextStreamId = 1;
  #answer: Http2Answer | undefined;
  /** A request for which the server takes no stream yet. */
  #begin: (() => void) | undefined;
  #farewell: Farewell | undefined;
  #error: Error | undefined;
  /** Whether nothing is read any more. */
  #isClosed = false;
  #isLost = false;
  /** What came since the answer began, or since the last one ended. */
  #receivedBytes = 0;

  /** @param socket - on which HTTP/2 was agreed upon, and nothing was said yet */
  constructor(origin: string, socket: TLSSocket, listener: Http2Listener) {
    this.#socket = socket;
    this.#listener = listener;
    this.#authority = new URL(origin).host;
    this.#idle = setTimeout(() => this.#endIdle(), idleMs).unref();
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => {
      this.#error = error;
    });
    socket.on("end", () => this.#lose());
    socket.on("close", () => this.#lose());
  }

  get isSpent(): boolean {
    return this.#isClosed || this.#nextStreamId > lastStreamId;
  }

  send(message: Message, receiver: AnswerReceiver): void {
    let fields: Field[];
    try {
      fields = fieldsOfRequest(message, this.#authority);
    } catch (error) {
      receiver.onError(error as Error);
      return;
    }
    const streamId = this.#nextStreamId;
    this.#nextStreamId += 2;
    this.#receivedBytes = 0;
    this.#answer = new Http2Answer(streamId, receiver, () => this.#socket.resume());
    receiver.onConnect();
    this.#begin = () => this.#wire.request(streamId, fields, Buffer.from(message.body ?? ""));
    this.#write();
  }

  onFields(streamId: number, fields: readonly Field[], isEnd: boolean): void {
    const answer = this.#answer;
    if (answer?.streamId === streamId) this.#judge(answer, answer.takeFields(fields, isEnd));
  }

  onData(streamId: number, piece: Buffer, isEnd: boolean): void {
    const answer = this.#answer;
    if (answer?.streamId !== streamId) return;
    this.#judge(
      answer,
      answer.takeData(piece, isEnd, () => this.#socket.pause()),
    );
  }

  onReset(streamId: number, code: number): void {
    if (this.#answer?.streamId === streamId) this.#cut(code);
  }

  onFarewell(farewell: Farewell): void {
    this.#farewell = farewell;
    const answer = this.#answer;
    // RFC 9113 section 6.8: an answer that is under way may still be finished.
    if (answer === undefined) this.#end(errorCodes.none);
    else if (answer.streamId > farewell.lastStreamId || (farewell.code !== 0 && !answer.isAnswered))
      this.#cut(undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#answer = undefined;
    clearTimeout(this.#idle);
    this.#socket.destroy();
  }

  #write(): void {
    if (this.#begin !== undefined && this.#wire.isOpen) {
      this.#begin();
      this.#begin = undefined;
    }
    const out = this.#wire.takeOutput();
    if (out.length > 0) this.#socket.write(Buffer.concat(out));
  }

  #read(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#receivedBytes += chunk.length;
    const violation = this.#wire.receive(chunk, () => !this.#isClosed);
    if (this.#isClosed) return;
    const bodyBytes = this.#answer?.bodyBytes ?? 0;
    const otherBytes = this.#receivedBytes - bodyBytes;
    if (violation !== undefined) this.#break(violation.code, violation.message);
    else if (otherBytes > freeBytes + bodyBytes)
      this.#break(errorCodes.calm, `${otherBytes} bytes that are of no answer`);
    else this.#write();
  }

  #judge(answer: Http2Answer, progress: Progress): void {
    // Whoever was told of it may have dropped the connection.
    if (progress === "more" || this.#answer !== answer) return;
    const { streamId, receiver } = answer;
    if (progress === "whole") this.#wire.stopUpload(streamId);
    else this.#wire.reset(streamId, errorCodes.protocol);
    this.#release();
    if (progress === "whole") receiver.onComplete();
    else receiver.onError(protocolError(`the server sent ${progress.malformed}`));
  }

  #release(): void {
    this.#answer = undefined;
    this.#begin = undefined;
    this.#receivedBytes = 0;
    this.#idle.refresh();
    if (this.#farewell !== undefined) this.#end(errorCodes.none);
  }

  /** @param code - of the reset; undefined where the connection ended */
  #cut(code: number | undefined): void {
    const answer = this.#answer;
    if (answer === undefined) return;
    const { streamId, isAnswered, receiver } = answer;
    this.#release();
    const end = { streamId, isAnswered, code, farewell: this.#farewell, cause: this.#error };
    if (isHttp1Required(end)) {
      this.#listener.onHttp1Required();
      this.#end(errorCodes.none);
    }
    receiver.onError(judgeStreamEnd(end));
  }

  #break(code: number, message: string): void {
    this.#error = protocolError(`the server sent ${message}`);
    this.#end(code);
    this.#cut(undefined);
  }

  #endIdle(): void {
    if (this.#answer === undefined) this.#end(errorCodes.none);
  }

  /** Ends the connection as soon as what is to be said is written. */
  #end(code: number): void {
    if (this.#isClosed) return;
    this.#wire.leave(code);
    this.#write();
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#socket.destroySoon();
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#cut(undefined);
    this.#socket.destroy();
    this.#listener.onLost(this);
  }
}
