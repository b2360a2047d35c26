import type { EpochMs } from "./time.ts";

/** One request that was sent and the head of its answer, as they went over the wire. */
export interface HttpExchange {
  /** Absolute; of a redirect's target, its own. */
  readonly url: string;
  /** Request line and fields with the empty line after them, as HTTP/1.1 writes them. */
  readonly requestHead: Uint8Array;
  /** Status line and fields with the empty line after them. */
  readonly responseHead: Uint8Array;
  readonly status: number;
  /** Numeric address of the server; undefined where the connection was lost meanwhile. */
  readonly remoteAddress: string | undefined;
  /** When the request was sent. */
  readonly startedAt: EpochMs;
}

/** Takes the body of an answer as it was received, transfer coding undone, content coding not. */
export interface ExchangeSink {
  /** Called with each piece, in order; the piece is only valid during the call. */
  readonly write: (chunk: Uint8Array) => void;
  /** Called once, after the last piece. */
  readonly end: (isWhole: boolean) => void;
}
