import type { FetchFailure } from "./fetch-outcome.ts";
import type { EpochMs } from "./time.ts";

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
