import type { EpochMs, SiteClockState, WaitReason } from "../../../core/index.ts";
import { BackOffClock, type BackOffState, type Ending } from "./back-off-clock.ts";
import type { Pace } from "./politeness-options.ts";
import { SpacingClock, type SpacingState } from "./spacing-clock.ts";

const maxRestoredRestMs = 30 * 24 * 3600 * 1000;

/** The two clocks of a site: one spaces requests, one backs off from trouble. */
export class SiteClock {
  readonly #spacing: SpacingClock;
  readonly #backOff: BackOffClock;
  #pace: Pace;

  /** @param state - what an earlier clock of the site had come to; see {@link restoreState} */
  constructor(pace: Pace, maxRetryAfterMs: number, state?: SiteClockState) {
    this.#pace = pace;
    this.#spacing = new SpacingClock(state);
    this.#backOff = new BackOffClock(maxRetryAfterMs, state);
  }

  get underWay(): number {
    return this.#spacing.underWay;
  }

  /** Sets another pace; a longer gap holds after the last answer too. */
  setPace(pace: Pace): void {
    this.#pace = pace;
    this.#spacing.slowDown(pace);
  }

  /** When the next request may begin; Infinity while an answer has to come first. */
  notBefore(now: EpochMs): EpochMs {
    return Math.max(this.#spacing.notBefore(now, this.#pace), this.#backOff.notBefore(now));
  }

  /** What the next request waits for. */
  reasonAt(now: EpochMs): WaitReason {
    const spacedAt = this.#spacing.notBefore(now, this.#pace);
    if (this.#backOff.notBefore(now) >= spacedAt) return this.#backOff.isAsked ? "retry-after" : "back-off";
    return spacedAt - this.#spacing.answeredAt > this.#pace.gapMs ? "rest" : "crawl-delay";
  }

  /** Notes that a request begins. */
  began(now: EpochMs): void {
    this.#spacing.began(now, this.#pace);
  }

  /**
   * Notes how a request ended.
   *
   * @param requests - those that it took, redirects too; 0 if it was never sent
   * @returns whether the server asked for a longer wait than it is granted
   */
  answered(ending: Ending & { readonly requests: number }, now: EpochMs, random: () => number): boolean {
    this.#spacing.answered(ending.requests, now, this.#pace);
    return ending.requests > 0 && this.#backOff.answered(ending, now, random);
  }

  /** Until when the site is left alone, were nothing under way. */
  get restsUntil(): EpochMs {
    return Math.max(this.#spacing.restsUntil, this.#backOff.restsUntil);
  }

  /** Its numbers, to be kept. */
  get state(): SpacingState & BackOffState {
    return { ...this.#spacing.state, ...this.#backOff.state };
  }
}

/**
 * Makes numbers that were kept usable now.
 *
 * Of a crawler that was killed after it had asked nobody knows when it asked last: it is as if it were just now, and a rest were due.
 *
 * @param pace - that of the site as far as it is known
 * @returns undefined if they are no numbers of a clock
 */
export function restoreState(
  state: SiteClockState,
  pace: Pace,
  maxRetryAfterMs: number,
  now: EpochMs,
): SiteClockState | undefined {
  if (!Object.values(state).every((value) => Number.isFinite(value) && value >= 0)) return undefined;
  const restMs = Math.min(maxRestoredRestMs, Math.max(0, state.notBefore - state.answeredAt));
  const restedAt = Math.min(state.answeredAt, now) + restMs;
  const isUnknown = state.isOpen === 1 && state.isQuiet !== 1;
  const troubledAt = Math.min(state.troubledAt, now);
  const backOffMs = Math.min(maxRetryAfterMs, Math.max(0, state.until - state.troubledAt));
  return {
    ...state,
    pages: isUnknown ? 0 : state.pages,
    answeredAt: isUnknown ? now : Math.min(state.answeredAt, now),
    notBefore: isUnknown ? Math.max(restedAt, now + Math.max(pace.restMs, pace.gapMs)) : restedAt,
    troubledAt,
    until: troubledAt + backOffMs,
  };
}
