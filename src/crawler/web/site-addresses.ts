import { type Clock, type EpochMs, grow, IndexedHeap } from "../../core/index.ts";
import { type HostAddresses, specialUseOf } from "../../http/index.ts";
import { isLoopbackAddress } from "../engine/politeness/site-clock.ts";
import { FairQueue, type QueuedSite } from "./fair-queue.ts";
import { maxFailures, planRetryMs } from "./retry-intervals.ts";
import type { CrawlWebOptions } from "./web-options.ts";
import { domainOf, hostOf } from "./web-scope.ts";

const defaultMaxAddressSites = 10_000;
const defaultLookups = 16;
/** The sites that one address brought have one part in so many of all look-ups. */
const bringersAtOnce = 4;
/** After so many names of a domain without an address, others are not looked up. */
const maxFailedLookups = 20;
/** Those that are looked up again have a part of their own, like those that one address brought. */
const onesWithout = -2;

// What was done in this run to find the address of a site.
const unsought = 0;
const sought = 1;
/** The name server was in trouble: the site is looked up once more, after others. */
const soughtAgain = 2;
/** It has no address, and with `isForever` is looked up again; states above it count the attempts. */
const without = 3;
const mostAttempts = 16;

interface SiteAddressesMeans {
  readonly hosts: HostAddresses;
  /** The origin of a site. */
  readonly nameOf: (site: number) => string;
  readonly isSeed: (origin: string) => boolean;
  readonly holdBack: (reason: "private-address" | "address-sites") => void;
  /** Is told of each site that has an address now. */
  readonly onLocated: (site: number) => void;
  /** Called after each look-up. */
  readonly onEnd: () => void;
}

/** Look-ups in a row that failed, of a registrable domain. */
interface FailedLookups {
  readonly failures: number;
  /** With `isForever`: when a name is looked up all the same, after {@link maxFailedLookups}. */
  readonly retryAt: EpochMs;
}

/** The addresses of sites, by the numbers of both: sites are looked up some at a time, shared out by who brought them. */
export class SiteAddresses {
  readonly #options: Pick<CrawlWebOptions, "lookups" | "maxAddressSites" | "allowPrivate" | "isForever" | "retryMs">;
  readonly #now: Clock;
  readonly #means: SiteAddressesMeans;
  readonly #numbersOfAddresses = new Map<string, number>();
  readonly #sitesOfAddress: number[] = [];
  readonly #loopback = new Set<number>();
  readonly #addressOfSite = new Map<number, number>();
  /** Sites whose addresses are not known yet. */
  readonly #unlocated: FairQueue;
  #states = new Uint8Array(0);
  readonly #failedLookups = new Map<string, FailedLookups>();
  /** With `isForever`: sites without an address, by the time at which they are looked up again. */
  readonly #toRetry = new IndexedHeap();
  #locating = 0;
  #isStopped = false;
  #unresolved = 0;

  constructor(options: CrawlWebOptions, means: SiteAddressesMeans) {
    this.#options = options;
    this.#now = options.clock ?? Date.now;
    this.#means = means;
    this.#unlocated = new FairQueue(Math.max(1, Math.floor((options.lookups ?? defaultLookups) / bringersAtOnce)));
  }

  /** Whether sites are still being looked up. */
  get isLocating(): boolean {
    return this.#locating > 0 || this.#unlocated.size > 0;
  }

  /** Sites without an address. */
  get unresolved(): number {
    return this.#unresolved;
  }

  /** The address of a site, as a number; undefined if none is known. */
  of(site: number): number | undefined {
    return this.#addressOfSite.get(site);
  }

  isLoopback(site: number): boolean {
    return this.#loopback.has(this.#addressOfSite.get(site) ?? -1);
  }

  /**
   * Puts a site among those to be looked up, unless its address was sought in this run.
   *
   * @param by - the address that brought it
   * @returns whether it was put there
   */
  seek(site: number, by?: number): boolean {
    if ((this.#states[site] ?? unsought) !== unsought) return false;
    this.#states = grow(this.#states, site + 1);
    this.#states[site] = sought;
    this.#unlocated.add(site, by);
    return true;
  }

  /** No site is looked up from now on; what comes of look-ups under way is not told. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Looks up sites, some at a time. */
  locate(): void {
    if (this.#isStopped) return;
    const { lookups = defaultLookups } = this.#options;
    const now = this.#toRetry.size > 0 ? this.#now() : 0;
    for (let site = this.#toRetry.first; site !== undefined; site = this.#toRetry.first) {
      if (this.#toRetry.firstKey > now) break;
      this.#toRetry.delete(site);
      this.#unlocated.add(site, onesWithout);
    }
    while (this.#locating < lookups) {
      const next = this.#unlocated.take();
      if (next === undefined) return;
      this.#locating++;
      void this.#locateOne(next).finally(() => {
        this.#locating--;
        this.#unlocated.end(next.by);
        this.locate();
        this.#means.onEnd();
      });
    }
  }

  /** Whether names of a domain are looked up: after too many failures only one at a time, at growing intervals, and that only with `isForever`. */
  #mayAsk(domain: string): boolean {
    const { failures, retryAt } = this.#failedLookups.get(domain) ?? { failures: 0, retryAt: 0 };
    if (failures < maxFailedLookups) return true;
    if (this.#options.isForever !== true || this.#now() < retryAt) return false;
    this.#failedLookups.set(domain, this.#failedAgain(failures));
    return true;
  }

  #failedAgain(before: number): FailedLookups {
    const rounds = Math.max(0, before - maxFailedLookups + 1);
    return { failures: before + 1, retryAt: this.#now() + planRetryMs(maxFailures + rounds, this.#options.retryMs) };
  }

  /** Notes that a site has no address, and with `isForever` when it is looked up again. */
  #leave(site: number): void {
    const before = this.#states[site] ?? unsought;
    if (before < without) this.#unresolved++;
    const attempts = Math.max(0, before - without + 1);
    this.#states[site] = without + Math.min(attempts, mostAttempts);
    if (this.#options.isForever !== true) return;
    this.#toRetry.set(site, this.#now() + planRetryMs(maxFailures + attempts, this.#options.retryMs));
  }

  async #locateOne({ site, by }: QueuedSite): Promise<void> {
    const { hosts, nameOf, isSeed, holdBack, onLocated } = this.#means;
    const origin = nameOf(site);
    const host = hostOf(origin);
    const domain = domainOf(host);
    const found = this.#mayAsk(domain) ? await hosts.find(host) : [];
    if (this.#isStopped) return;
    const [first] = found ?? [];
    if (first === undefined) {
      if (found === undefined && this.#states[site] === sought) {
        this.#states[site] = soughtAgain;
        return this.#unlocated.add(site, by);
      }
      const { failures } = this.#failedLookups.get(domain) ?? { failures: 0 };
      if (failures < maxFailedLookups) this.#failedLookups.set(domain, this.#failedAgain(failures));
      return this.#leave(site);
    }
    this.#failedLookups.delete(domain);
    if ((this.#states[site] ?? unsought) >= without) this.#unresolved--;
    const mayBePrivate = this.#options.allowPrivate === true || isSeed(origin);
    if (!mayBePrivate && specialUseOf(first) !== undefined) return holdBack("private-address");
    let address = this.#numbersOfAddresses.get(first);
    if (address === undefined) {
      address = this.#sitesOfAddress.push(0) - 1;
      this.#numbersOfAddresses.set(first, address);
      if (isLoopbackAddress(first)) this.#loopback.add(address);
    }
    const sites = this.#sitesOfAddress[address] as number;
    if (sites >= (this.#options.maxAddressSites ?? defaultMaxAddressSites)) return holdBack("address-sites");
    this.#sitesOfAddress[address] = sites + 1;
    this.#addressOfSite.set(site, address);
    onLocated(site);
  }
}
