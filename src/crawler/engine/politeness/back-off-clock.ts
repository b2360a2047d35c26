import type { EpochMs, HostHealth } from "../../../core/index.ts";

/** Shortest and first longest wait after trouble; the longest doubles with each further one. */
const leastBackOffMs = 500;
const firstBackOffMs = 2000;
/** We never stay away for longer than this of our own accord. */
const maxBackOffMs = 60_000;
const maxLevel = 6;
/** So much quiet takes one trouble back. */
const forgiveAfterMs = 30_000;

/** How a request ended. */
export interface Ending {
  readonly health: HostHealth;
  /** The server's Retry-After as a time. */
  readonly retryAt?: EpochMs | undefined;
  /** When the request began. */
  readonly beganAt: EpochMs;
}

/** The numbers of a {@link BackOffClock}. */
export interface BackOffState {
  /** Troubles that are not forgiven yet. */
  readonly level: number;
  /** When the last trouble came; 0 if none ever did. */
  readonly troubledAt: EpochMs;
  /** When the site may be asked again. */
  readonly until: EpochMs;
  /** 1 if the site named that time itself, else 0. */
  readonly isAsked: number;
}

/**
 * Keeps away from a site in trouble: until the time that it names, or else for a random time within bounds that double
 * with each such trouble. Each half minute of quiet after that takes one back.
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

  /** When the site may be asked again. */
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

  /** Whether the site named the time until which we stay away. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** When the site may be asked again. */
  notBefore(now: EpochMs): EpochMs {
    // A clock that was set back must not make us wait for years.
    if (now < this.#troubledAt) {
      this.#until = now + this.#until - this.#troubledAt;
      this.#troubledAt = now;
    }
    return this.#until;
  }

  /** Troubles that are not forgiven yet. */
  level(now: EpochMs): number {
    const quietMs = Math.max(0, now - this.notBefore(now));
    return Math.max(0, this.#level - Math.floor(quietMs / forgiveAfterMs));
  }

  /**
   * Takes in how a request ended.
   *
   * @param random - from 0 to 1
   * @returns whether the server asked for a longer wait than it is granted
   */
  answered(ending: Ending, now: EpochMs, random: () => number): boolean {
    const { health, retryAt, beganAt } = ending;
    if (health === "fine") return false;
    const level = this.level(now);
    // What was under way when the trouble came is the same trouble.
    const isNew = beganAt >= this.#troubledAt;
    const until = this.notBefore(now);
    // A server that names a time is not lost: what it says takes the place of guessing.
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
