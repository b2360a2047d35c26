import type { EpochMs, RequestEnd, SiteClockState } from "../../../core/index.ts";

/** Shortest and longest wait after the first failure; the longest doubles with each further one. */
const leastBackOffMs = 500;
const firstBackOffMs = 2000;
/** Longest wait that the site did not ask for. */
const maxBackOffMs = 60_000;
const maxLevel = 6;
/** This much time without a failure takes one back. */
const forgiveAfterMs = 30_000;

/** How a request ended, and when it began. */
export type Ending = Omit<RequestEnd, "requests"> & { readonly beganAt: EpochMs };

/** The numbers of a {@link BackOffClock}. */
type BackOffState = Pick<SiteClockState, "level" | "troubledAt" | "until" | "isAsked">;

/**
 * Waits after failures of a site: until the time that it names, otherwise for a random time within bounds that double
 * with each failure. Each half minute without one takes one back.
 */
export class BackOffClock {
  readonly #maxRetryAfterMs: number;
  #level: number;
  #troubledAt: EpochMs;
  #until: EpochMs;
  #isAsked: boolean;

  constructor(maxRetryAfterMs: number, state?: BackOffState) {
    this.#maxRetryAfterMs = maxRetryAfterMs;
    this.#level = state?.level ?? 0;
    this.#troubledAt = state?.troubledAt ?? 0;
    this.#until = state?.until ?? 0;
    this.#isAsked = state?.isAsked === 1;
  }

  get restsUntil(): EpochMs {
    return this.#until;
  }

  get state(): BackOffState {
    return {
      level: this.#level,
      troubledAt: this.#troubledAt,
      until: this.#until,
      isAsked: this.#isAsked ? 1 : 0,
    };
  }

  /** Whether the site named that time itself. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** When the site may be asked again. */
  notBefore(now: EpochMs): EpochMs {
    // The system clock was set back.
    if (now < this.#troubledAt) {
      this.#until = now + this.#until - this.#troubledAt;
      this.#troubledAt = now;
    }
    return this.#until;
  }

  /** Waits at least as long as saved numbers say, which are usable now. */
  restore({ level, troubledAt, until, isAsked }: BackOffState): void {
    if (until <= this.#until) return;
    this.#level = Math.max(this.#level, level);
    this.#troubledAt = Math.max(this.#troubledAt, troubledAt);
    this.#until = until;
    this.#isAsked = isAsked === 1;
  }

  /** Failures that still count. */
  level(now: EpochMs): number {
    const quietMs = Math.max(0, now - this.notBefore(now));
    return Math.max(0, this.#level - Math.floor(quietMs / forgiveAfterMs));
  }

  /**
   * Notes how a request ended.
   *
   * @param random - from 0 to 1
   * @returns whether the server asked for a longer wait than is allowed
   */
  answered(ending: Ending, now: EpochMs, random: () => number): boolean {
    const { health, retryAt, beganAt } = ending;
    if (health === "fine") return false;
    const level = this.level(now);
    // Requests that were under way at a failure fail with it.
    const isNew = beganAt >= this.#troubledAt;
    const until = this.notBefore(now);
    const isAsked = retryAt !== undefined && retryAt > now + leastBackOffMs;
    this.#level = health === "broken" || isAsked || !isNew ? level : Math.min(maxLevel, level + 1);
    this.#troubledAt = now;
    const waitMs = isAsked ? Math.min(retryAt - now, this.#maxRetryAfterMs) : this.#chooseWaitMs(random);
    this.#until = Math.max(until, now + waitMs);
    if (this.#until > until) this.#isAsked = isAsked;
    return isAsked && retryAt - now > this.#maxRetryAfterMs;
  }

  // Full jitter, but never at once.
  #chooseWaitMs(random: () => number): number {
    const longestMs = Math.min(maxBackOffMs, firstBackOffMs * 2 ** Math.max(0, this.#level - 1));
    return Math.round(leastBackOffMs + random() * (longestMs - leastBackOffMs));
  }
}
