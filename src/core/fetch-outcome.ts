import type { ExchangeSink, HttpExchange } from "./http-exchange.ts";
import type { EpochMs } from "./time.ts";

/** What a server gave to recognise a representation again, byte for byte as it was received (RFC 9110 section 8.8). */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Takes a body as it arrives. */
export interface BodySink {
  /** Called with each piece, in order; the piece is only valid during the call. */
  readonly write: (chunk: Uint8Array) => void;
}

/** Status and fields of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** By name in lower case, one character a byte; values of a field that stands twice are joined by `, `. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Why a request is to end before its time. */
export interface FetchStop {
  readonly reason: FetchFailure;
  readonly message: string;
}

/** One request, to be made politely. */
export interface FetchRequest {
  /** Origin, such as `https://example.org`, without a slash at the end. */
  readonly origin: string;
  /** Path with query, sent as it is. */
  readonly path: string;
  /** Makes the request conditional; they are of this URL alone, so a redirect is followed without them. */
  readonly validators?: Validators;
  /** The body is cut off beyond this many bytes and the outcome is `too-large`. */
  readonly maxBytes: number;
  /**
   * Time for a whole answer with its redirects, in milliseconds, and the longest silence. A body has more for each byte that came, as
   * {@link leastBytesPerSecond} says; what was announced gives it none.
   */
  readonly timeoutMs: number;
  /**
   * A body must come at this rate at least, in the long run: it has a second more for so many bytes, and never more than
   * `timeoutMs` ahead. Default 65,536.
   */
  readonly leastBytesPerSecond?: number;
  /** How many redirects are followed; they stay on the origin unless `crossOrigin`. Default 0. */
  readonly maxRedirects?: number;
  /** Whether redirects may leave the origin. Default false. */
  readonly crossOrigin?: boolean;
  /**
   * Asked before each redirect is followed, with the whole URL that it leads to; `false` ends the request as
   * `redirect-disallowed`. Default: each may be followed.
   */
  readonly mayFollow?: (url: string) => boolean;
  /**
   * Asked before each further request that follows from this one, with its URL: where a redirect leads, and again what was
   * lost with a connection that the server closed. It may wait, for as long as it likes; `false` ends the request as
   * `aborted`. Default: it is made at once.
   */
  readonly beforeNext?: (url: string) => Promise<boolean>;
  /**
   * Whether the server may code the body (gzip, br, and zstd where Node has it). The coding is undone while the body
   * comes: sink, body and `maxBytes` are of what comes out, `receivedBytes` of what came. Default false: the bytes as
   * they are published.
   */
  readonly acceptCoding?: boolean;
  /** Further request fields, lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the body of a 200 goes; without it the outcome carries the body. */
  readonly sink?: BodySink;
  /** At most this many bytes are taken and the rest is dropped, without an outcome of `too-large`. */
  readonly truncateAtBytes?: number;
  /**
   * Told of the bytes of the body that came last, as they are after their codings, and about each second of 0 bytes as long as the
   * answer is not whole; what it gives ends the request as failed.
   */
  readonly onProgress?: (bytes: number) => FetchStop | undefined;
  /** Is shown the status and every field of each answer, redirects too, before the body comes. */
  readonly onAnswer?: (answer: AnswerHead) => void;
  /**
   * Is shown each request and the head of its answer, redirects too, before the body comes; what it gives takes the
   * body, also of an answer whose body is not in the outcome. Of those no more than 64 KiB come, or a little over.
   */
  readonly onExchange?: (exchange: HttpExchange) => ExchangeSink | undefined;
  readonly signal?: AbortSignal;
}

/** Why there is no usable answer. */
export const fetchFailures = [
  "timeout",
  "connection",
  "dns",
  "tls",
  "too-large",
  "truncated",
  "redirect-loop",
  "redirect-elsewhere",
  "redirect-disallowed",
  "private-address",
  "bad-coding",
  "protocol",
  "aborted",
] as const;

/** One of {@link fetchFailures}. */
export type FetchFailure = (typeof fetchFailures)[number];

interface Answered {
  readonly status: number;
  /** Bytes of the body as they came over the wire, counted also where they were dropped. */
  readonly receivedBytes: number;
  /** Requests that were sent: 1 and the redirects. */
  readonly requests: number;
}

/** A 200 with its whole body. */
export interface FetchedOutcome extends Answered {
  readonly kind: "fetched";
  /** Of the URL that was asked for: empty where a redirect led to another. */
  readonly validators: Validators;
  readonly contentType: string | undefined;
  /** Fields that lead elsewhere, as they came; several fields `Link` are one list. */
  readonly link?: string | undefined;
  readonly refresh?: string | undefined;
  /**
   * Content codings that the server names, lower case, and that are not undone: nobody asked for that, or they were not
   * applied although they are named. Undefined if they were undone.
   */
  readonly contentEncoding: string | undefined;
  /** The body, or empty if a sink took it. */
  readonly body: Uint8Array;
  /** Path of the last redirect's target on the origin, or the one asked for. */
  readonly finalPath: string;
  readonly cacheControl: string | undefined;
}

/** What became of one request. An ordinary day on the web is a branch of this, never an exception. */
export type FetchOutcome =
  | FetchedOutcome
  | (Answered & {
      readonly kind: "not-modified";
      readonly validators: Validators;
      readonly cacheControl: string | undefined;
    })
  /** 404 or 410. */
  | (Answered & { readonly kind: "gone" })
  /** Any other 4xx. */
  | (Answered & { readonly kind: "refused" })
  /** 429 or 5xx. `retryAt` is the server's Retry-After as a time. */
  | (Answered & { readonly kind: "unavailable"; readonly retryAt: EpochMs | undefined })
  | {
      readonly kind: "failed";
      readonly reason: FetchFailure;
      readonly message: string;
      readonly receivedBytes: number;
      readonly requests: number;
    };
