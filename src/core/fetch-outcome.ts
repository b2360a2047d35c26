import type { EpochMs } from "./time.ts";

/** Validators from the server, byte for byte as received (RFC 9110 section 8.8). */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Fields of a response that state preferences about use, as received. */
export interface UsageFields {
  /** `Content-Usage`; repeated fields form one dictionary. */
  readonly contentUsage?: string | undefined;
  /** `X-Robots-Tag`, one field a line. */
  readonly robotsTag?: string | undefined;
  /** `TDM-Reservation` */
  readonly tdmReservation?: string | undefined;
}

/** Receives a body piece by piece. */
export interface BodySink {
  /** Called with each piece in order; the piece is valid only during the call. */
  readonly write: (chunk: Uint8Array) => void;
}

/** Status and header fields of a response. */
export interface AnswerHead {
  readonly status: number;
  /** By lower-case name, one character per byte; repeated fields are joined by `, `, `X-Robots-Tag` by a line feed. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Why a request is to be stopped early. */
export interface FetchStop {
  readonly reason: FetchFailure;
  readonly message: string;
}

/** One polite request. */
export interface FetchRequest {
  /** Origin, such as `https://example.org`, without a slash at the end. */
  readonly origin: string;
  /** Path with query, sent unchanged. */
  readonly path: string;
  /** Makes the request conditional. Validators belong to this URL only, so a redirect is followed without them. */
  readonly validators?: Validators | undefined;
  /** Longest body in bytes; a longer one is cut off and the outcome is `too-large`. */
  readonly maxBytes: number;
  /**
   * Time limit in milliseconds for a complete response with its redirects, and for silence within it. Bytes of the body
   * extend it as {@link leastBytesPerSecond} says; an announced length does not.
   */
  readonly timeoutMs: number;
  /**
   * Minimum rate of a body in bytes per second: each this many bytes extend the deadline by one second, up to
   * `timeoutMs` ahead. Default 65,536.
   */
  readonly leastBytesPerSecond?: number | undefined;
  /** Most redirects that are followed; they stay on the origin unless `crossOrigin`. Default 0. */
  readonly maxRedirects?: number;
  /** Whether redirects may leave the origin. Default false. */
  readonly crossOrigin?: boolean;
  /**
   * Called with the absolute URL of each redirect before it is followed; `false` ends the request as
   * `redirect-disallowed`. Default: all are followed.
   */
  readonly mayFollow?: (url: string) => boolean;
  /**
   * Called with the URL before each further request: a redirect, or a retry after the server closed the connection. It
   * may wait as long as it likes; `false` ends the request as `aborted`. Default: no wait.
   */
  readonly beforeNext?: (url: string) => Promise<boolean>;
  /**
   * Whether the server may compress the body (gzip, br, and zstd where Node has it). It is decompressed as it arrives:
   * sink, body and `maxBytes` apply to the decompressed bytes, `receivedBytes` to those received. Default false: the
   * bytes as published.
   */
  readonly acceptCoding?: boolean;
  /** Additional header fields, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the body of a 200 is written; without it the outcome carries the body. */
  readonly sink?: BodySink | undefined;
  /** Takes at most this many bytes and drops the rest, without the outcome `too-large`. */
  readonly truncateAtBytes?: number;
  /**
   * Called with the number of decoded bytes just received, and about once a second with 0 until the response is
   * complete. A returned value ends the request as failed.
   */
  readonly onProgress?: (bytes: number) => FetchStop | undefined;
  /** Called with the status and every field of each response, including redirects, before its body. */
  readonly onAnswer?: (answer: AnswerHead) => void;
  /**
   * Called with each request and the head of its response, including redirects, before the body. A returned sink
   * receives the body, even of a response whose body is not in the outcome; of those at most about 64 KiB.
   */
  readonly onExchange?: (exchange: HttpExchange) => ExchangeSink | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Why there is no usable response. */
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
  "redirect-taken",
  "private-address",
  "bad-coding",
  "protocol",
  "aborted",
] as const;
export type FetchFailure = (typeof fetchFailures)[number];

interface Answered {
  readonly status: number;
  /** Bytes of the body as received, including those dropped. */
  readonly receivedBytes: number;
  /** Requests sent: 1 plus the redirects. */
  readonly requests: number;
}

/** A 200 with its complete body. */
export interface FetchedOutcome extends Answered {
  readonly kind: "fetched";
  /** Validators of the requested URL; empty after a redirect to another. */
  readonly validators: Validators;
  /** As it came, where `validators` leaves it out: the page changed in the second in which it was asked for. */
  readonly lastModified?: string | undefined;
  readonly contentType: string | undefined;
  /** Fields that contain links, and what language the page is in, as received; repeated `Link` fields form one list. */
  readonly link?: string | undefined;
  readonly refresh?: string | undefined;
  readonly contentLanguage?: string | undefined;
  /**
   * Content codings named by the server, lower case, that were not decoded: either decoding was not requested, or the
   * body was not really encoded. Undefined if they were decoded.
   */
  readonly contentEncoding: string | undefined;
  /** The body; empty if a sink received it. */
  readonly body: Uint8Array;
  /** Path of the last redirect's target on the origin, or the requested path. */
  readonly finalPath: string;
  readonly cacheControl: string | undefined;
  /** Undefined if it has none of these fields. */
  readonly usage?: UsageFields;
}

/** Outcome of one request. Ordinary failures of the web are branches of this type, never exceptions. */
export type FetchOutcome =
  | FetchedOutcome
  | (Answered & {
      readonly kind: "not-modified";
      readonly validators: Validators;
      readonly cacheControl: string | undefined;
      readonly usage?: UsageFields;
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

/** A JSON text to be sent. */
export interface PostRequest {
  /** Absolute http or https URL; user and password are not sent. */
  readonly url: string;
  /** The JSON text. */
  readonly json: string;
  /** Time limit in milliseconds until the head of the response. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Outcome of a POST of JSON text. */
export type PostOutcome =
  | {
      readonly kind: "answered";
      /** 200 to 599; a redirect is returned, not followed. */
      readonly status: number;
      /** The server's Retry-After as a time. */
      readonly retryAt: EpochMs | undefined;
      /** Target of a redirect as sent, one character per byte. */
      readonly location: string | undefined;
    }
  /** It is unknown whether the server accepted it. */
  | { readonly kind: "failed"; readonly reason: FetchFailure; readonly message: string };
