import type { HttpExchange } from "../model/index.ts";

/** What a connection speaks, by its name in ALPN. */
export type Protocol = HttpExchange["protocol"];

/** A request as it is sent. */
export interface Message {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Names in lower case and values in turn, one character (0 to 255) a byte. */
  readonly fields: string[];
  /** Sent in UTF-8; undefined for none. */
  readonly body?: string;
}

/**
 * Takes one answer. The names are those by which undici calls its handlers, since it is one of those that call.
 *
 * After `onComplete` or `onError` nothing more comes.
 */
export interface AnswerReceiver {
  /** There is a connection, and the request goes out. */
  onConnect(): void;
  onResponseStarted(): void;
  /**
   * @param status - below 200 for an interim answer, of which the fields may be missing
   * @param raw - names and values in turn, as bytes
   * @param resume - to be called where `onData` said that it wanted to wait
   */
  onHeaders(status: number, raw: Buffer[], resume: () => void, reason: string): boolean;
  /** @returns false if the next piece is to wait */
  onData(chunk: Buffer): boolean;
  /** The body has ended as its framing says. */
  onComplete(): void;
  onError(error: Error): void;
}

/** Carries one request after the other to an origin, in one protocol. */
export interface Carrier {
  readonly protocol: Protocol;
  /** Whether it takes no further request. */
  readonly isSpent: boolean;
  send(message: Message, receiver: AnswerReceiver): void;
  /** Ends it at once; whoever waits for an answer is told nothing, or that it failed. */
  close(): Promise<void>;
}

/** The code of an error that says: the server has not acted upon the request, which may be sent again. */
export const unprocessedCode = "ERR_REQUEST_UNPROCESSED";

/** The code of an error that says: what was to be sent is no request. */
export const badRequestCode = "ERR_NOT_A_REQUEST";

/** An error with a code. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
