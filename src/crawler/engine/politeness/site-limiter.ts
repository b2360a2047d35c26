import type { EpochMs, SiteClockState, SiteFacts, WaitReason } from "../../../core/index.ts";
import { type AddressClock, isLoopbackAddress } from "./address-clock.ts";
import type { Ending } from "./back-off-clock.ts";
import { type Pace, type PolitenessOptions, planAddressPace, planPace } from "./politeness-options.ts";
import { restoreState, SiteClock } from "./site-clock.ts";

const defaultMaxWaitMs = 300_000;
const dayMs = 24 * 3600 * 1000;
const nothing = {
  pages: 0,
  answeredAt: 0,
  notBefore: 0,
  level: 0,
  troubledAt: 0,
  until: 0,
  isAsked: 0,
  isOpen: 0,
  isQuiet: 1,
};
const unknown: SiteFacts = { crawlDelayMs: 0, hasArchives: false, concurrency: 1 };

/** What a rate limiter knows of one site: its clock, the clocks of its addresses, and what decides its pace. */
export class SiteLimiter {
  readonly #options: PolitenessOptions;
  /** Longest wait for a permit. */
  readonly maxWaitMs: number;
  readonly #maxRetryAfterMs: number;
  #facts: SiteFacts = unknown;
  #kept: SiteClockState | undefined;
  #clock: SiteClock | undefined;
  #isLoopback = false;
  #pace: Pace;
  #addressPace: Pace;
  /** What it was located by last. */
  #located: readonly string[] = [];
  #addresses: readonly AddressClock[] = [];
  /** Permits that are asked for or held. */
  permits = 0;
  /** The end of the wait that was told of last. */
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

  get addresses(): readonly AddressClock[] {
    return this.#addresses;
  }

  /** Sets what is known; what is left out stays. */
  describe(facts: Partial<SiteFacts>): void {
    const { crawlDelayMs, hasArchives, concurrency } = this.#facts;
    const next = {
      crawlDelayMs: facts.crawlDelayMs ?? crawlDelayMs,
      hasArchives: facts.hasArchives ?? hasArchives,
      concurrency: facts.concurrency ?? concurrency,
    };
    const isSame =
      next.crawlDelayMs === crawlDelayMs && next.hasArchives === hasArchives && next.concurrency === concurrency;
    if (isSame) this.#clock?.setPace(this.#pace);
    else this.#change(next, this.#isLoopback);
  }

  #change(facts: SiteFacts, isLoopback: boolean): void {
    this.#facts = facts;
    this.#isLoopback = isLoopback;
    this.#pace = planPace(this.#options, facts, isLoopback);
    this.#addressPace = planAddressPace(this.#options, facts, isLoopback);
    this.#clock?.setPace(this.#pace);
  }

  /** Goes on with the numbers that were kept, unless the site was asked before. */
  restore(kept: SiteClockState): void {
    if (this.#clock !== undefined) return;
    this.#kept = kept;
    if (Number.isFinite(kept.crawlDelayMs)) this.describe({ crawlDelayMs: Math.max(0, kept.crawlDelayMs) });
  }

  /** Takes in where the site is now. */
  locate(addresses: readonly string[], clocks: readonly AddressClock[], now: EpochMs): void {
    this.#addresses = clocks;
    if (addresses !== this.#located) {
      this.#located = addresses;
      const isLoopback = addresses.length > 0 && addresses.every(isLoopbackAddress);
      if (isLoopback !== this.#isLoopback) this.#change(this.#facts, isLoopback);
    }
    this.#clock ??= this.#makeClock(now);
  }

  /** When the next request may begin as far as the site's own clocks go. */
  notBefore(now: EpochMs): EpochMs {
    return this.#clockOf().notBefore(now);
  }

  /** When the next request may begin as far as the clocks of its addresses go. */
  addressNotBefore(now: EpochMs): EpochMs {
    let at = 0;
    for (const clock of this.#addresses) at = Math.max(at, clock.notBefore(now, this.#addressPace));
    return at;
  }

  /** What the site's own clocks wait for. */
  reasonAt(now: EpochMs): WaitReason {
    return this.#clockOf().reasonAt(now);
  }

  /** Notes that a request begins. Its end goes to the clocks that were there when it began. */
  began(now: EpochMs): (ending: Ending & { readonly requests: number }, now: EpochMs, random: () => number) => boolean {
    const clock = this.#clockOf();
    const addresses = this.#addresses;
    clock.began(now);
    for (const address of addresses) address.began(now, this.#addressPace);
    return (ending, endedAt, random) => {
      for (const address of addresses) address.answered(ending.requests, endedAt, this.#addressPace);
      return clock.answered(ending, endedAt, random);
    };
  }

  /** Until when the site is left alone, were nothing under way; 0 if it was never asked. */
  get restsUntil(): EpochMs {
    return this.#clock?.restsUntil ?? 0;
  }

  /**
   * The numbers to be kept; see {@link SiteClockState}.
   *
   * @param isOpen - whether the visit goes on
   * @param isQuiet - whether no request is made before they are kept again; default: whether none is under way
   */
  state(isOpen: boolean, isQuiet: boolean = (this.#clock?.underWay ?? 0) === 0): SiteClockState {
    const { crawlDelayMs } = this.#facts;
    if (this.#clock !== undefined)
      return { ...this.#clock.state, crawlDelayMs, isOpen: isOpen ? 1 : 0, isQuiet: isQuiet ? 1 : 0 };
    // What a visit left that did not end is as it was, until the site is asked again.
    const { isOpen: wasOpen, isQuiet: wasQuiet, ...numbers } = this.#kept ?? nothing;
    const isExact = wasOpen === 0 || wasQuiet === 1;
    return { ...numbers, crawlDelayMs, isOpen: isOpen ? 1 : wasOpen, isQuiet: isExact && isQuiet ? 1 : 0 };
  }

  #makeClock(now: EpochMs): SiteClock {
    const kept = this.#kept && restoreState(this.#kept, this.#pace, this.#maxRetryAfterMs, now);
    return new SiteClock(this.#pace, this.#maxRetryAfterMs, kept);
  }

  #clockOf(): SiteClock {
    if (this.#clock === undefined) throw new TypeError("a site is located before it is asked");
    return this.#clock;
  }
}
