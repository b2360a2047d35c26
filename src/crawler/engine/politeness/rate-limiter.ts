import type {
  AcquireOptions,
  AcquireResult,
  Clock,
  EpochMs,
  Permit,
  RateLimiter,
  SiteClockState,
  SiteFacts,
  WaitReason,
} from "../../../core/index.ts";
import { AddressClocks } from "./address-clock.ts";
import { ClockMap } from "./clock-map.ts";
import type { PolitenessOptions } from "./politeness-options.ts";
import { SiteLimiter } from "./site-limiter.ts";

/** What a rate limiter needs of the world. */
export interface RateLimiterPorts {
  readonly now: Clock;
  /** Resolves after `delayMs`, or earlier if the signal is aborted; never rejects. */
  readonly delay: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Addresses of a site, as text; none if they are not known. Never rejects. */
  readonly addressesOf: (site: string) => Promise<readonly string[]>;
}

interface Waiter {
  readonly site: SiteLimiter;
  readonly wish: AcquireOptions;
  readonly answer: (answer: AcquireResult) => void;
}

function isAnyOf(addresses: readonly object[], claimed: ReadonlySet<object>): boolean {
  for (const address of addresses) if (claimed.has(address)) return true;
  return false;
}

const maxSites = 100_000;
/** A request that takes longer lends its connection to others that wait, as long as as many more can be made. */
const slowAfterMs = 5000;
/** If they cannot, the one that has taken longest is ended after so long. */
const recallAfterMs = 60_000;
const tellFromMs = 1000;
const longestDelayMs = 24 * 3600 * 1000;
/** Why a wait was ended; without it an error is made each time. */
const changed = "another wait ends first";

/**
 * Where requests wait until they may be made: one at a time to a site and to an address, `k` of them and then a rest, a
 * Crawl-delay apart, and not before a site in trouble wants to be asked again. Who waits longest goes first.
 *
 * Several crawls in one process share a rate limiter, or else sites that share an address are asked at the same time.
 *
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, section 4
 */
export class SiteRateLimiter implements RateLimiter {
  readonly #ports: RateLimiterPorts;
  readonly #addresses = new AddressClocks();
  readonly #sites: ClockMap<SiteLimiter>;
  readonly #waiters = new Set<Waiter>();
  readonly #maxUnderWay: number;
  /** How many wait with each signal. */
  readonly #signals = new Map<AbortSignal, number>();
  readonly #onAbort = (): void => this.#dispatch();
  #underWay = 0;
  /** When each request that is under way began, the oldest first. */
  readonly #begun = new Map<object, EpochMs>();
  /** Whether somebody waits for nothing but a connection. */
  #isCrowded = false;
  #timer: AbortController | undefined;
  #timerAt: EpochMs = 0;

  /**
   * @param optionsOf - how a site is spared; default: as `options` say
   * @param maxUnderWay - requests to all sites that may be under way at once: r of Castillo et al. One that takes longer than five
   *   seconds lends its place to another that waits, up to as many again. Default: no bound
   */
  constructor(
    ports: RateLimiterPorts,
    options: PolitenessOptions = {},
    optionsOf: (site: string) => PolitenessOptions = () => options,
    maxUnderWay: number = Number.POSITIVE_INFINITY,
  ) {
    this.#ports = ports;
    this.#maxUnderWay = maxUnderWay;
    this.#sites = new ClockMap(maxSites, (site) => new SiteLimiter(optionsOf(site)));
  }

  /** Sets what is known of a site; what is left out stays. */
  describe(site: string, facts: Partial<SiteFacts>): void {
    this.#sites.of(site).describe(facts);
    this.#dispatch();
  }

  /** Goes on with a site's numbers as they were kept; without effect if this rate limiter has asked the site already. */
  restore(site: string, kept: SiteClockState): void {
    this.#sites.of(site).restore(kept);
  }

  /** Until when a site is left alone, were nothing under way; 0 if this rate limiter never asked it. */
  restsUntil(site: string): EpochMs {
    return this.#sites.of(site).restsUntil;
  }

  /**
   * A site's numbers, to be kept.
   *
   * @param isOpen - whether the visit goes on
   * @param isQuiet - whether no request is made before they are kept again; default: whether none is under way
   */
  stateOf(site: string, isOpen: boolean, isQuiet?: boolean): SiteClockState {
    return this.#sites.of(site).state(isOpen, isQuiet);
  }

  /** Requests that are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Waits for a permit. O(number of those who wait). */
  async acquire(site: string, wish: AcquireOptions = {}): Promise<AcquireResult> {
    const siteLimiter = this.#sites.of(site);
    siteLimiter.permits++;
    const addresses = await this.#ports.addressesOf(site);
    siteLimiter.locate(addresses, this.#addresses.of(addresses), this.#ports.now());
    return new Promise((resolve) => {
      const { signal } = wish;
      const answer = (result: AcquireResult): void => {
        if (signal !== undefined) this.#listen(signal, -1);
        if (result.kind !== "permit") siteLimiter.permits--;
        resolve(result);
      };
      if (signal !== undefined) this.#listen(signal, 1);
      this.#waiters.add({ site: siteLimiter, wish, answer });
      this.#dispatch();
    });
  }

  // Many wait with the same signal, and one listener is enough for all of them.
  #listen(signal: AbortSignal, change: 1 | -1): void {
    const count = (this.#signals.get(signal) ?? 0) + change;
    if (count > 0) this.#signals.set(signal, count);
    else this.#signals.delete(signal);
    if (count === 1 && change === 1) signal.addEventListener("abort", this.#onAbort);
    if (count === 0) signal.removeEventListener("abort", this.#onAbort);
  }

  #dispatch(): void {
    const now = this.#ports.now();
    // Where somebody waits only for another's answer, nobody who came later goes first.
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
        if (claimed !== undefined && isAnyOf(site.addresses, claimed)) continue;
        const freeAt = this.#freeAt(now);
        if (freeAt <= now) this.#leave(waiter, this.#begin(site, now));
        else {
          // Or the next that ends makes room, for who waits longest.
          isCrowded = true;
          next = Math.min(next, freeAt);
        }
      } else if (at === Number.POSITIVE_INFINITY) {
        if (ownAt > now) continue;
        claimed ??= new Set();
        for (const address of site.addresses) claimed.add(address);
      } else if (at - now > (wish.isFurther === true ? site.maxFurtherWaitMs : site.maxWaitMs)) {
        this.#leave(waiter, { kind: "later", at, why: addressAt > ownAt ? "shared-address" : site.reasonAt(now) });
      } else {
        next = Math.min(next, at);
        if (at - now >= tellFromMs && site.toldAt !== at)
          this.#tell(waiter, at, addressAt > ownAt ? "shared-address" : site.reasonAt(now));
      }
    }
    this.#isCrowded = isCrowded;
    this.#wakeAt(next, now);
  }

  /** When a connection is free, were none given back before: one is lent for each request that is slow, up to as many again. */
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

  #begin(site: SiteLimiter, beganAt: EpochMs): Permit {
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

  #tell({ site, wish }: Waiter, at: EpochMs, why: WaitReason): void {
    site.toldAt = at;
    wish.onWait?.(at, why);
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
