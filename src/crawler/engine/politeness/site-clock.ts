import type { EpochMs, SiteClockState, SiteFacts, WaitReason } from "../../../core/index.ts";
import { BackOffClock, type Ending } from "./back-off-clock.ts";
import { type Pace, type PolitenessOptions, planAddressPace, planPace } from "./politeness-options.ts";
import { SpacingClock } from "./spacing-clock.ts";

const defaultMaxWaitMs = 300_000;
const dayMs = 24 * 3600 * 1000;
const maxRestoredRestMs = 30 * dayMs;
const nothing = { level: 0, troubledAt: 0, until: 0, isAsked: 0, pages: 0, answeredAt: 0, notBefore: 0 };
const unknown: SiteFacts = { crawlDelayMs: 0, hasArchives: false, concurrency: 1 };

/** Whether an address, as text, is a loopback address: of 127.0.0.0/8, or ::1. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address) || address === "::1";
}

/** When a site may be asked: by the spacing of its requests, its back-off, and the spacing of its addresses. */
export class SiteClock {
  readonly #options: PolitenessOptions;
  /** Longest wait for a permit. */
  readonly maxWaitMs: number;
  readonly #maxRetryAfterMs: number;
  #facts: SiteFacts = unknown;
  #kept: SiteClockState | undefined;
  /** Undefined until the site is located: only then is its pace known. */
  #own: { readonly spacing: SpacingClock; readonly backOff: BackOffClock } | undefined;
  #isLoopback = false;
  #pace: Pace;
  #addressPace: Pace;
  #located: readonly string[] = [];
  #addresses: readonly SpacingClock[] = [];
  /** Permits that are asked for or held. */
  permits = 0;
  /** The end of the wait that was reported last. */
  toldAt: EpochMs = 0;

  constructor(options: PolitenessOptions) {
    this.#options = options;
    this.maxWaitMs = options.maxWaitMs ?? defaultMaxWaitMs;
    this.#maxRetryAfterMs = options.maxRetryAfterMs ?? dayMs;
    this.#pace = planPace(options, unknown, false);
    this.#addressPace = planAddressPace(options, unknown, false);
  }

  /** Longest wait for a permit of a request that follows from another: what was begun has to come to an end. */
  get maxFurtherWaitMs(): number {
    return Math.max(this.maxWaitMs, this.#pace.restMs, this.#pace.gapMs);
  }

  get isUsed(): boolean {
    return this.permits > 0;
  }

  get addresses(): readonly SpacingClock[] {
    return this.#addresses;
  }

  /** Sets what is known; omitted facts stay. A longer gap also holds after the last answer. */
  describe({ crawlDelayMs, hasArchives, concurrency }: Partial<SiteFacts>): void {
    this.#facts = {
      crawlDelayMs: crawlDelayMs ?? this.#facts.crawlDelayMs,
      hasArchives: hasArchives ?? this.#facts.hasArchives,
      concurrency: concurrency ?? this.#facts.concurrency,
    };
    this.#planPaces();
  }

  #planPaces(): void {
    this.#pace = planPace(this.#options, this.#facts, this.#isLoopback);
    this.#addressPace = planAddressPace(this.#options, this.#facts, this.#isLoopback);
    this.#own?.spacing.slowDown(this.#pace);
  }

  /**
   * Continues with saved numbers. If the site has been asked before, as where a redirect led to it before its own visit, the wait that
   * it was in holds, and nothing else; no effect after an earlier call.
   */
  restore(kept: SiteClockState, now: EpochMs): void {
    if (this.#own !== undefined) {
      if (this.#kept !== undefined) return;
      this.#kept = kept;
      const state = this.#restorable(kept, now);
      if (state !== undefined) this.#own.backOff.restore(state);
      return;
    }
    this.#kept = kept;
    if (Number.isFinite(kept.crawlDelayMs)) this.describe({ crawlDelayMs: Math.max(0, kept.crawlDelayMs) });
  }

  /** Takes in where the site is now. To be called before the site is asked. */
  locate(addresses: readonly string[], clocks: readonly SpacingClock[], now: EpochMs): void {
    this.#addresses = clocks;
    if (addresses !== this.#located) {
      this.#located = addresses;
      const isLoopback = addresses.length > 0 && addresses.every(isLoopbackAddress);
      if (isLoopback !== this.#isLoopback) {
        this.#isLoopback = isLoopback;
        this.#planPaces();
      }
    }
    if (this.#own !== undefined) return;
    const state = this.#kept && this.#restorable(this.#kept, now);
    this.#own = { spacing: new SpacingClock(state), backOff: new BackOffClock(this.#maxRetryAfterMs, state) };
  }

  /**
   * Makes saved numbers usable now. Nobody knows when a crawler that was killed after a request asked last: it counts as
   * just now, and as if a rest were due.
   *
   * @returns undefined if they are not the numbers of a clock
   */
  #restorable(state: SiteClockState, now: EpochMs): SiteClockState | undefined {
    if (!Object.values(state).every((value) => Number.isFinite(value) && value >= 0)) return undefined;
    const restMs = Math.min(maxRestoredRestMs, Math.max(0, state.notBefore - state.answeredAt));
    const restedAt = Math.min(state.answeredAt, now) + restMs;
    const isUnknown = state.isOpen === 1 && state.isQuiet !== 1;
    const troubledAt = Math.min(state.troubledAt, now);
    const backOffMs = Math.min(this.#maxRetryAfterMs, Math.max(0, state.until - state.troubledAt));
    const { restMs: paceRestMs, gapMs } = this.#pace;
    return {
      ...state,
      pages: isUnknown ? 0 : state.pages,
      answeredAt: isUnknown ? now : Math.min(state.answeredAt, now),
      notBefore: isUnknown ? Math.max(restedAt, now + Math.max(paceRestMs, gapMs)) : restedAt,
      troubledAt,
      until: troubledAt + backOffMs,
    };
  }

  /** When the next request may begin by the site's own clocks; Infinity while an answer has to come first. */
  notBefore(now: EpochMs): EpochMs {
    const { spacing, backOff } = this.#clocks;
    return Math.max(spacing.notBefore(now, this.#pace), backOff.notBefore(now));
  }

  /** When the next request may begin by the clocks of its addresses. */
  addressNotBefore(now: EpochMs): EpochMs {
    let at = 0;
    for (const clock of this.#addresses) at = Math.max(at, clock.notBefore(now, this.#addressPace));
    return at;
  }

  /** What the site's own clocks wait for. */
  reasonAt(now: EpochMs): WaitReason {
    const { spacing, backOff } = this.#clocks;
    const spacedAt = spacing.notBefore(now, this.#pace);
    if (backOff.notBefore(now) >= spacedAt) return backOff.isAsked ? "retry-after" : "back-off";
    return spacedAt - spacing.answeredAt > this.#pace.gapMs ? "rest" : "crawl-delay";
  }

  /**
   * Notes that a request begins.
   *
   * @returns notes its end, in the clocks that were there when it began; whether the server asked for a longer wait than
   *   is allowed
   */
  began(now: EpochMs): (ending: Ending & { readonly requests: number }, now: EpochMs, random: () => number) => boolean {
    const { spacing, backOff } = this.#clocks;
    const addresses = this.#addresses;
    spacing.began(now, this.#pace);
    for (const address of addresses) address.began(now, this.#addressPace);
    return (ending, endedAt, random) => {
      for (const address of addresses) address.answered(ending.requests, endedAt, this.#addressPace);
      spacing.answered(ending.requests, endedAt, this.#pace);
      return ending.requests > 0 && backOff.answered(ending, endedAt, random);
    };
  }

  /** End of the site's rest, not counting requests under way; 0 if it was never asked. */
  get restsUntil(): EpochMs {
    return this.#own === undefined ? 0 : Math.max(this.#own.spacing.restsUntil, this.#own.backOff.restsUntil);
  }

  /** The numbers to be saved; see `RateLimiter.stateOf`. */
  state(isOpen: boolean, isQuiet: boolean = (this.#own?.spacing.underWay ?? 0) === 0): SiteClockState {
    const { crawlDelayMs } = this.#facts;
    if (this.#own !== undefined) {
      const { spacing, backOff } = this.#own;
      return { ...spacing.state, ...backOff.state, crawlDelayMs, isOpen: isOpen ? 1 : 0, isQuiet: isQuiet ? 1 : 0 };
    }
    // What an unfinished visit left stays as it is until the site is asked again.
    const { isOpen: wasOpen, isQuiet: wasQuiet, ...numbers } = this.#kept ?? { ...nothing, isOpen: 0, isQuiet: 1 };
    const isExact = wasOpen === 0 || wasQuiet === 1;
    return { ...numbers, crawlDelayMs, isOpen: isOpen ? 1 : wasOpen, isQuiet: isExact && isQuiet ? 1 : 0 };
  }

  get #clocks(): { readonly spacing: SpacingClock; readonly backOff: BackOffClock } {
    if (this.#own === undefined) throw new TypeError("a site is located before it is asked");
    return this.#own;
  }
}
