import type {
  AcquireOptions,
  AcquireResult,
  Clock,
  EpochMs,
  Permit,
  RateLimiter,
  SiteClockState,
  SiteFacts,
} from "../../../core/index.ts";
import type { PolitenessOptions } from "./politeness-options.ts";
import { SiteClock } from "./site-clock.ts";
import { SpacingClock } from "./spacing-clock.ts";

/** What a rate limiter needs from outside. */
interface RateLimiterPorts {
  readonly now: Clock;
  /** Resolves after `delayMs`, or earlier if the signal is aborted; never rejects. */
  readonly delay: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Addresses of a site, as text; none if they are not known. Never rejects. */
  readonly addressesOf: (site: string) => Promise<readonly string[]>;
}

interface Waiter {
  readonly site: SiteClock;
  readonly wish: AcquireOptions;
  readonly answer: (answer: AcquireResult) => void;
}

/** Clocks by key. Beyond the bound the least recently requested one that is not in use is dropped. */
class ClockMap<C extends { readonly isUsed: boolean }> {
  readonly #clocks = new Map<string, C>();
  readonly #make: (key: string) => C;

  constructor(make: (key: string) => C) {
    this.#make = make;
  }

  find(key: string): C | undefined {
    return this.#clocks.get(key);
  }

  of(key: string): C {
    const clock = this.#clocks.get(key) ?? this.#make(key);
    this.#clocks.delete(key);
    this.#clocks.set(key, clock);
    if (this.#clocks.size > maxClocks) this.#dropOne(key);
    return clock;
  }

  #dropOne(kept: string): void {
    for (const [key, clock] of this.#clocks) {
      if (clock.isUsed || key === kept) continue;
      this.#clocks.delete(key);
      return;
    }
  }
}

/** Of sites, and of addresses. */
const maxClocks = 100_000;
/** More addresses of one site are ignored. */
const maxAddressesOfSite = 16;
/** A slower request lends its connection to others that wait; at most as many again are lent. */
const slowAfterMs = 5000;
/** When all are lent, the oldest request is ended after this time. */
const recallAfterMs = 60_000;
const tellFromMs = 1000;
const longestDelayMs = 24 * 3600 * 1000;
/** The reason for ending a wait; without it an error is created each time. */
const changed = "another wait ends first";

/**
 * Makes requests wait until they may be sent: one at a time to a site and to an address, a rest after `k` of them, a
 * Crawl-delay apart, and not before the back-off of a site in trouble is over. The longest waiter goes first.
 *
 * All crawls of a process share a rate limiter, so that sites on one address are not asked at the same time.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, section 4
 */
export class SiteRateLimiter implements RateLimiter {
  readonly #ports: RateLimiterPorts;
  readonly #addresses = new ClockMap(() => new SpacingClock());
  readonly #sites: ClockMap<SiteClock>;
  readonly #waiters = new Set<Waiter>();
  readonly #maxUnderWay: number;
  /** Waiters with each signal. */
  readonly #signals = new Map<AbortSignal, number>();
  readonly #onAbort = (): void => this.#dispatch();
  #underWay = 0;
  /** When each request under way began, the oldest first. */
  readonly #begun = new Map<object, EpochMs>();
  /** Whether a waiter waits for nothing but a connection. */
  #isCrowded = false;
  #timer: AbortController | undefined;
  #timerAt: EpochMs = 0;

  /**
   * @param optionsOf - the options of a site; default: `options`
   * @param maxUnderWay - requests to all sites that may be under way at once, r of Castillo et al.; a slow one lends its
   *   place, see {@link slowAfterMs}. Default: no bound
   */
  constructor(
    ports: RateLimiterPorts,
    options: PolitenessOptions = {},
    optionsOf: (site: string) => PolitenessOptions = () => options,
    maxUnderWay: number = Number.POSITIVE_INFINITY,
  ) {
    this.#ports = ports;
    this.#maxUnderWay = maxUnderWay;
    this.#sites = new ClockMap((site) => new SiteClock(optionsOf(site)));
  }

  describe(site: string, facts: Partial<SiteFacts>): void {
    this.#sites.of(site).describe(facts);
    this.#dispatch();
  }

  restore(site: string, kept: SiteClockState): void {
    this.#sites.of(site).restore(kept, this.#ports.now());
  }

  restsUntil(site: string): EpochMs {
    return this.#sites.of(site).restsUntil;
  }

  /** End of the rest of an address, not counting requests under way; 0 if no site there was asked yet. */
  addressRestsUntil(address: string): EpochMs {
    return this.#addresses.find(address)?.restsUntil ?? 0;
  }

  stateOf(site: string, isOpen: boolean, isQuiet?: boolean): SiteClockState {
    return this.#sites.of(site).state(isOpen, isQuiet);
  }

  /** Waits for a permit. O(waiters). */
  async acquire(site: string, wish: AcquireOptions = {}): Promise<AcquireResult> {
    const clock = this.#sites.of(site);
    clock.permits++;
    const addresses = await this.#ports.addressesOf(site);
    const clocks = [...new Set(addresses)].slice(0, maxAddressesOfSite).map((address) => this.#addresses.of(address));
    clock.locate(addresses, clocks, this.#ports.now());
    return new Promise((resolve) => {
      const { signal } = wish;
      const answer = (result: AcquireResult): void => {
        if (signal !== undefined) this.#listen(signal, -1);
        if (result.kind !== "permit") clock.permits--;
        resolve(result);
      };
      if (signal !== undefined) this.#listen(signal, 1);
      this.#waiters.add({ site: clock, wish, answer });
      this.#dispatch();
    });
  }

  // Many wait with the same signal; one listener serves them all.
  #listen(signal: AbortSignal, change: 1 | -1): void {
    const count = (this.#signals.get(signal) ?? 0) + change;
    if (count > 0) this.#signals.set(signal, count);
    else this.#signals.delete(signal);
    if (count === 1 && change === 1) signal.addEventListener("abort", this.#onAbort);
    if (count === 0) signal.removeEventListener("abort", this.#onAbort);
  }

  #dispatch(): void {
    const now = this.#ports.now();
    // Addresses of waiters that wait for an answer only: nobody who came later may take them.
    let claimed: Set<object> | undefined;
    let next = Number.POSITIVE_INFINITY;
    let isCrowded = false;
    for (const waiter of this.#waiters) {
      const { site, wish } = waiter;
      if (wish.signal?.aborted === true) {
        this.#leave(waiter, { kind: "aborted" });
        continue;
      }
      const ownAt = site.notBefore(now);
      const addressAt = site.addressNotBefore(now);
      const at = Math.max(ownAt, addressAt);
      if (at <= now) {
        if (claimed !== undefined && site.addresses.some((address) => claimed?.has(address))) continue;
        const freeAt = this.#freeAt(now);
        if (freeAt <= now) this.#leave(waiter, this.#begin(site, now));
        else {
          // Unless a request ends first.
          isCrowded = true;
          next = Math.min(next, freeAt);
        }
      } else if (at === Number.POSITIVE_INFINITY) {
        if (ownAt > now) continue;
        claimed ??= new Set();
        for (const address of site.addresses) claimed.add(address);
      } else {
        const why = addressAt > ownAt ? "shared-address" : site.reasonAt(now);
        if (at - now > (wish.isFurther === true ? site.maxFurtherWaitMs : site.maxWaitMs)) {
          this.#leave(waiter, { kind: "later", at, why });
          continue;
        }
        next = Math.min(next, at);
        if (at - now < tellFromMs || site.toldAt === at) continue;
        site.toldAt = at;
        wish.onWait?.(at, why);
      }
    }
    this.#isCrowded = isCrowded;
    this.#wakeAt(next, now);
  }

  /** When a connection is free if no request ends before: each slow one lends its own. */
  #freeAt(now: EpochMs): EpochMs {
    const over = this.#underWay - this.#maxUnderWay;
    if (over < 0) return now;
    if (over >= this.#maxUnderWay) return Number.POSITIVE_INFINITY;
    let at = 0;
    for (const beganAt of this.#begun.values()) if (at++ === over) return beganAt + slowAfterMs;
    return Number.POSITIVE_INFINITY;
  }

  #isRecalled(permit: object): boolean {
    if (!this.#isCrowded || this.#underWay < 2 * this.#maxUnderWay) return false;
    const [oldest] = this.#begun;
    return oldest?.[0] === permit && this.#ports.now() - oldest[1] >= recallAfterMs;
  }

  #leave(waiter: Waiter, answer: AcquireResult): void {
    this.#waiters.delete(waiter);
    waiter.answer(answer);
  }

  #begin(site: SiteClock, beganAt: EpochMs): Permit {
    const end = site.began(beganAt);
    this.#underWay++;
    let isHeld = true;
    const permit: Permit = {
      kind: "permit",
      isRecalled: () => this.#isRecalled(permit),
      done: (ending) => {
        if (!isHeld) return false;
        isHeld = false;
        site.permits--;
        this.#underWay--;
        this.#begun.delete(permit);
        const isBounded = end({ ...ending, beganAt }, this.#ports.now(), this.#ports.random);
        this.#dispatch();
        return isBounded;
      },
    };
    this.#begun.set(permit, beganAt);
    return permit;
  }

  #wakeAt(at: EpochMs, now: EpochMs): void {
    if (this.#timer !== undefined && this.#timerAt === at) return;
    this.#timer?.abort(changed);
    this.#timer = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const timer = new AbortController();
    this.#timer = timer;
    this.#timerAt = at;
    void this.#ports.delay(Math.min(at - now, longestDelayMs), timer.signal).then(() => {
      if (this.#timer !== timer) return;
      this.#timer = undefined;
      this.#dispatch();
    });
  }
}
