import type { Timing } from "./crawl/index.ts";
import type { Fetcher } from "./fetch/index.ts";
import type { FetchOutcome, FetchRequest } from "./model/index.ts";

/** Longest wait for a server in trouble, in milliseconds; one that asks for more is left alone. */
const maxWaitMs = 60_000;
const firstWaitMs = 1000;
const attempts = 4;

/** Makes the requests of an exporter to the site's own server, a delay apart. */
export class PoliteRequests {
  readonly #fetcher: Pick<Fetcher, "get">;
  readonly #timing: Timing;
  readonly #signal: AbortSignal | undefined;
  #notBefore = 0;

  /** Time between the beginnings of two requests, in milliseconds. */
  delayMs: number;

  constructor(fetcher: Pick<Fetcher, "get">, timing: Timing, delayMs: number, signal: AbortSignal | undefined) {
    this.#fetcher = fetcher;
    this.#timing = timing;
    this.#signal = signal;
    this.delayMs = delayMs;
  }

  /**
   * Makes a request, and again after a while if the server answers 429 or 503: after its Retry-After, or one, two and
   * four seconds. Meanwhile nothing else is asked either.
   *
   * @param makeRequest - called for each attempt, so that each has its own sink
   * @returns the last outcome
   */
  async get(makeRequest: () => Omit<FetchRequest, "signal">): Promise<FetchOutcome> {
    for (let attempt = 0; ; attempt++) {
      await this.#pause();
      const signal = this.#signal === undefined ? {} : { signal: this.#signal };
      const outcome = await this.#fetcher.get({ ...makeRequest(), ...signal });
      if (!isOverloaded(outcome) || this.#signal?.aborted === true) return outcome;
      const now = this.#timing.now();
      const waitMs = Math.max(firstWaitMs * 2 ** attempt, (outcome.retryAt ?? 0) - now);
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
      // A clock that is set back must not make us wait for years.
      if (waitMs > 2 * maxWaitMs + this.delayMs) this.#notBefore = now;
      else await this.#timing.delay(waitMs, this.#signal);
    }
  }
}

/** Whether a server says that it has too much to do. */
export function isOverloaded(outcome: FetchOutcome): outcome is Extract<FetchOutcome, { kind: "unavailable" }> {
  return outcome.kind === "unavailable" && (outcome.status === 429 || outcome.status === 503);
}
