import type { FetchOutcome, FetchRequest, Timing } from "../core/index.ts";
import type { Fetcher } from "./fetcher.ts";

/** Longest wait for a server in trouble, in milliseconds; one that asks for more is left alone. */
const maxWaitMs = 60_000;
const firstWaitMs = 1000;
const attempts = 4;

/** Makes the requests of an exporter to the site's own server, a delay apart. */
export class PoliteRequests {
  readonly #fetcher: Pick<Fetcher, "get">;
  readonly #timing: Timing;
  readonly #signal: AbortSignal | undefined;
  /** Of origins that asked for a longer wait: what they answered, and until when they are left alone. */
  readonly #resting = new Map<string, { readonly outcome: FetchOutcome; readonly until: number }>();
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
   * Makes a request, a delay apart from what it leads to, and again after a while if the server answers 429 or 503: after its Retry-After, or one, two and
   * four seconds. Meanwhile nothing else is asked either. An origin that wants to be left alone for longer is not asked
   * again before that: each request to it is answered by what it said.
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
