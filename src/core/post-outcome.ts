import type { FetchFailure } from "./fetch-outcome.ts";
import type { EpochMs } from "./time.ts";

/** A JSON text to be sent. */
export interface PostRequest {
  /** Absolute URL, http or https; user and password are not sent. */
  readonly url: string;
  /** The JSON text. */
  readonly json: string;
  /** Total time until the head of the answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What became of a JSON text that was sent. */
export type PostOutcome =
  | {
      readonly kind: "answered";
      /** 200 to 599; a redirect is an answer, and is not followed. */
      readonly status: number;
      /** The server's Retry-After as a time. */
      readonly retryAt: EpochMs | undefined;
      /** Where a redirect leads to, one character a byte, as it was sent. */
      readonly location: string | undefined;
    }
  /** It is not known whether the server took it. */
  | { readonly kind: "failed"; readonly reason: FetchFailure; readonly message: string };
