import type { EpochMs } from "./time.ts";

/** One request and the head of its response, as sent and received. */
export interface HttpExchange {
  /** Absolute URL; of a redirect, that of its target. */
  readonly url: string;
  /** Request line and fields with the empty line, in HTTP/1.1 form. */
  readonly requestHead: Uint8Array;
  /** Status line and fields with the empty line, in HTTP/1.1 form. */
  readonly responseHead: Uint8Array;
  readonly status: number;
  /** Numeric address of the server; undefined if the connection was lost meanwhile. */
  readonly remoteAddress: string | undefined;
  /** When the request was sent. */
  readonly startedAt: EpochMs;
}

/** Receives the body of a response without transfer coding, with its content coding. */
export interface ExchangeSink {
  /** Called with each piece in order; the piece is valid only during the call. */
  readonly write: (chunk: Uint8Array) => void;
  /** Called once, after the last piece. */
  readonly end: (isWhole: boolean) => void;
}
