import type { FetchOutcome, FetchRequest, Timing } from "../core/index.ts";
import type { Fetcher } from "./fetcher.ts";

/** Longest wait for a server in trouble, in milliseconds; if it asks for more, requests to it stop. */
const maxWaitMs = 60_000;
const firstWaitMs = 1000;
const attempts = 4;

/** Sends the requests of an exporter to the site's own server, with a delay between them. */
export class PoliteRequests {
  readonly #fetcher: Pick<Fetcher, "get">;
  readonly #timing: Timing;
  readonly #signal: AbortSignal | undefined;
  /** Origins that asked for a longer wait: their response, and until when no request is sent. */
  readonly #resting = new Map<string, { readonly outcome: FetchOutcome; readonly until: number }>();
  #notBefore = 0;

  /** Milliseconds between the starts of two requests. */
  delayMs: number;

  constructor(fetcher: Pick<Fetcher, "get">, timing: Timing, delayMs: number, signal: AbortSignal | undefined) {
    this.#fetcher = fetcher;
    this.#timing = timing;
    this.#signal = signal;
    this.delayMs = delayMs;
  }

  /**
   * Makes a request after the delay, and retries it if the server answers 429 or 503: after its Retry-After, or after
   * one, two and four seconds. Meanwhile no other request is sent. If an origin asks for a longer wait, no request is
   * sent before its end: each gets the stored response.
   *
   * @param makeRequest - called for each attempt, so that each has its own sink
   * @returns the last outcome
   */
  async get(makeRequest: () => Omit<FetchRequest, "signal">): Promise<FetchOutcome> {
    for (let attempt = 0; ; attempt++) {
      const request = makeRequest();
      const resting = this.#resting.get(request.origin);
      if (resting !== undefined && this.#timing.now() < resting.until) return resting.outcome;
      await this.#pause();
      const signal = this.#signal === undefined ? {} : { signal: this.#signal };
      const beforeNext = async (): Promise<boolean> => {
        await this.#pause();
        return true;
      };
      const outcome = await this.#fetcher.get({ ...request, ...signal, beforeNext });
      if (!isOverloaded(outcome) || this.#signal?.aborted === true) return outcome;
      const now = this.#timing.now();
      const waitMs = Math.max(firstWaitMs * 2 ** attempt, (outcome.retryAt ?? 0) - now);
      if (waitMs > maxWaitMs) this.#resting.set(request.origin, { outcome, until: now + waitMs });
      if (waitMs > maxWaitMs || attempt + 1 >= attempts) return outcome;
      this.#notBefore = Math.max(this.#notBefore, now + waitMs);
    }
  }

  async #pause(): Promise<void> {
    for (;;) {
      const now = this.#timing.now();
      const waitMs = this.#notBefore - now;
      if (waitMs <= 0 || this.#signal?.aborted === true) {
        this.#notBefore = now + this.delayMs;
        return;
      }
      // A clock that was set back must not cause a wait of years.
      if (waitMs > 2 * maxWaitMs + this.delayMs) this.#notBefore = now;
      else await this.#timing.delay(waitMs, this.#signal);
    }
  }
}

/** Whether a server says that it is overloaded. */
export function isOverloaded(outcome: FetchOutcome): outcome is Extract<FetchOutcome, { kind: "unavailable" }> {
  return outcome.kind === "unavailable" && (outcome.status === 429 || outcome.status === 503);
}
