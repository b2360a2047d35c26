import type { EpochMs, RateLimiter, SiteClockState } from "../../../core/index.ts";

/** A wait that is shorter is not worth a write. */
const rememberFromMs = 1000;

/**
 * Keeps the numbers of a site's clocks, so that a visit that is killed at any instant, and however often, neither forgets a
 * wait nor begins it anew.
 *
 * Before each longer wait they are written as they are. Before the first request after that it is written that a request
 * was made: nobody knows when it ended, if the visit is killed.
 */
export class ClockKeeper {
  readonly #origin: string;
  readonly #rateLimiter: Pick<RateLimiter, "restsUntil" | "stateOf">;
  readonly #write: (state: SiteClockState) => void;
  #kept: SiteClockState | undefined;

  /** @param kept - what was written by earlier visits */
  constructor(
    origin: string,
    rateLimiter: Pick<RateLimiter, "restsUntil" | "stateOf">,
    write: (state: SiteClockState) => void,
    kept: SiteClockState | undefined,
  ) {
    this.#origin = origin;
    this.#rateLimiter = rateLimiter;
    this.#write = write;
    this.#kept = kept;
  }

  /** To be called before anything is changed: what a visit leaves that does not end is looked at by the next. */
  opens(): void {
    if (this.#kept?.isOpen !== 1) this.#keep(this.#rateLimiter.stateOf(this.#origin, true));
  }

  /** To be called whenever the next request may have to wait. */
  waits(now: EpochMs): void {
    if (this.#rateLimiter.restsUntil(this.#origin) - now >= rememberFromMs)
      this.#keep(this.#rateLimiter.stateOf(this.#origin, true));
  }

  /** To be called before each request. */
  begins(): void {
    if (this.#kept?.isOpen !== 1 || this.#kept.isQuiet === 1)
      this.#keep(this.#rateLimiter.stateOf(this.#origin, true, false));
  }

  #keep(state: SiteClockState): void {
    this.#write(state);
    this.#kept = state;
  }
}
