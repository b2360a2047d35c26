import type { EpochMs, SiteClockState } from "../model/index.ts";
import { type AddressClock, isLoopbackAddress } from "./address-clock.ts";
import type { Ending } from "./back-off-clock.ts";
import { type Pace, type PolitenessOptions, planAddressPace, planPace, type SiteFacts } from "./politeness-options.ts";
import { restoreState, SiteClock, type Turning } from "./site-clock.ts";

const defaultMaxWaitMs = 300_000;
const dayMs = 24 * 3600 * 1000;
const nothing = { pages: 0, answeredAt: 0, notBefore: 0, level: 0, troubledAt: 0, until: 0, isAsked: 0 };
const unknown: SiteFacts = { crawlDelayMs: 0, hasArchives: false, concurrency: 1 };

/** What a gate knows of one site: its clock, the clocks of its addresses, and what decides its pace. */
export class SiteGate {
  readonly #options: PolitenessOptions;
  /** Longest wait for a turn. */
  readonly maxWaitMs: number;
  readonly #maxRetryAfterMs: number;
  #facts: SiteFacts = unknown;
  #kept: SiteClockState | undefined;
  #clock: SiteClock | undefined;
  #isLoopback = false;
  #addressPace: Pace;
  #addresses: readonly AddressClock[] = [];
  /** Turns that are asked for or held. */
  turns = 0;
  /** The end of the wait that was told of last. */
  toldAt: EpochMs = 0;

  constructor(options: PolitenessOptions) {
    this.#options = options;
    this.maxWaitMs = options.maxWaitMs ?? defaultMaxWaitMs;
    this.#maxRetryAfterMs = options.maxRetryAfterMs ?? dayMs;
    this.#addressPace = planAddressPace(options, unknown, false);
  }

  get isUsed(): boolean {
    return this.turns > 0;
  }

  get addresses(): readonly AddressClock[] {
    return this.#addresses;
  }

  /** Sets what is known; what is left out stays. */
  describe(facts: Partial<SiteFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    this.#addressPace = planAddressPace(this.#options, this.#facts, this.#isLoopback);
    this.#clock?.setPace(this.#pace());
  }

  /** Goes on with the numbers that were kept, unless the site was asked before. */
  restore(kept: SiteClockState): void {
    if (this.#clock !== undefined) return;
    this.#kept = kept;
    if (Number.isFinite(kept.crawlDelayMs)) this.describe({ crawlDelayMs: Math.max(0, kept.crawlDelayMs) });
  }

  /** Takes in where the site is now. */
  locate(addresses: readonly string[], clocks: readonly AddressClock[], now: EpochMs): void {
    const isLoopback = addresses.length > 0 && addresses.every(isLoopbackAddress);
    this.#addresses = clocks;
    if (isLoopback !== this.#isLoopback) {
      this.#isLoopback = isLoopback;
      this.describe({});
    }
    this.#clock ??= this.#makeClock(now);
  }

  /** When the next request may begin as far as the site's own clocks go, and its addresses'. */
  notBefore(now: EpochMs): { readonly site: Turning; readonly addressAt: EpochMs } {
    const site = this.#clockOf().notBefore(now);
    const addressAt = Math.max(0, ...this.#addresses.map((clock) => clock.notBefore(now, this.#addressPace)));
    return { site, addressAt };
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
   */
  state(isOpen: boolean): SiteClockState {
    const numbers = this.#clock?.state ?? this.#kept ?? nothing;
    const wasOpen = this.#clock === undefined && this.#kept?.isOpen === 1;
    return { ...numbers, crawlDelayMs: this.#facts.crawlDelayMs, isOpen: isOpen || wasOpen ? 1 : 0 };
  }

  #pace(): Pace {
    return planPace(this.#options, this.#facts, this.#isLoopback);
  }

  #makeClock(now: EpochMs): SiteClock {
    const pace = this.#pace();
    const kept = this.#kept && restoreState(this.#kept, pace, this.#maxRetryAfterMs, now);
    return new SiteClock(pace, this.#maxRetryAfterMs, kept);
  }

  #clockOf(): SiteClock {
    if (this.#clock === undefined) throw new TypeError("a site is located before it is asked");
    return this.#clock;
  }
}
