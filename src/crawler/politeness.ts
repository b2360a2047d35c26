import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { EpochMs, RateLimiter, Timing } from "../core/index.ts";
import { type Clock, TidemarkError } from "../core/index.ts";
import { realTiming } from "../http/index.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";
import { SiteRateLimiter } from "./engine/politeness/rate-limiter.ts";

/** Politeness towards sites, and the clock that measures it. */
export interface CreatePolitenessOptions extends PolitenessOptions {
  /** Different options for some sites, by origin, such as `https://example.org`. Default: all alike. */
  readonly ofSites?: ReadonlyMap<string, PolitenessOptions> | undefined;
  /** Most concurrent requests to all sites together. Default: no bound. */
  readonly connections?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Waits. Default: real time. */
  readonly delay?: Timing["delay"] | undefined;
  /** From 0 to 1; spreads out retries to sites in trouble. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Addresses of a host, as text. Default: the system's resolver is asked. */
  readonly addressesOf?: ((host: string) => Promise<readonly string[]>) | undefined;
}

/** The rate limiter that all crawls of a process share. */
export interface Politeness extends RateLimiter {
  /** End of the rest of an address, as text, whichever site there was asked; 0 if none was. */
  addressRestsUntil(address: string): EpochMs;
}

const addressesHoldMs = 300_000;
const maxHosts = 10_000;

async function resolveHost(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/** Resolves the hosts of sites; results are valid for five minutes. An unresolvable host has no address. */
class AddressBook {
  readonly #now: Clock;
  readonly #resolve: (host: string) => Promise<readonly string[]>;
  readonly #found = new Map<string, { readonly at: number; readonly addresses: Promise<readonly string[]> }>();
  readonly #hosts = new Map<string, { readonly host: string; readonly isAddress: boolean }>();

  constructor(now: Clock, resolve: (host: string) => Promise<readonly string[]>) {
    this.#now = now;
    this.#resolve = resolve;
  }

  async addressesOf(site: string): Promise<readonly string[]> {
    const { host, isAddress } = this.#hostOf(site);
    if (isAddress) return [host];
    const now = this.#now();
    const known = this.#found.get(host);
    if (known !== undefined && Math.abs(now - known.at) < addressesHoldMs) return known.addresses;
    const addresses = this.#resolve(host).catch(() => []);
    this.#found.delete(host);
    this.#found.set(host, { at: now, addresses });
    const [oldest] = this.#found.keys();
    if (this.#found.size > maxHosts && oldest !== undefined) this.#found.delete(oldest);
    return addresses;
  }

  #hostOf(site: string): { readonly host: string; readonly isAddress: boolean } {
    const known = this.#hosts.get(site);
    if (known !== undefined) return known;
    const host = new URL(site).hostname.replace(/^\[|\]$/g, "");
    const found = { host, isAddress: isIP(host) !== 0 };
    if (this.#hosts.size >= maxHosts) this.#hosts.clear();
    this.#hosts.set(site, found);
    return found;
  }
}

const limits: ReadonlyArray<readonly [keyof PolitenessOptions, number]> = [
  ["pagesBeforeRest", 1],
  ["restMs", 0],
  ["crawlDelayMs", 0],
  ["maxWaitMs", 0],
  ["maxRetryAfterMs", 0],
];

function checkOptions(options: PolitenessOptions): void {
  for (const [name, least] of limits) {
    const value = options[name];
    if (value === undefined || (typeof value === "number" && value >= least)) continue;
    throw new TidemarkError("bad-option", `${name} must be a number from ${least} on, not ${value}.`);
  }
}

/**
 * Creates the rate limiter of crawls: one request at a time per site and per address, a rest after some requests, no
 * faster than the Crawl-delay, and back-off for sites in trouble.
 *
 * @returns to be passed to each {@link crawlSite} of the process, so that sites on the same address are not requested
 * concurrently
 * @throws TidemarkError `bad-option`
 * @example
 * const politeness = createPoliteness({ pagesBeforeRest: 5, restMs: 30_000 });
 * await Promise.all(urls.map((url) => crawlSite({ url, into: `mirrors/${new URL(url).host}`, politeness })));
 */
export function createPoliteness(options: CreatePolitenessOptions = {}): Politeness {
  const { clock, delay, random = Math.random, addressesOf = resolveHost, ofSites, connections } = options;
  if (connections !== undefined && !(Number.isInteger(connections) && connections > 0))
    throw new TidemarkError("bad-option", `connections must be a whole number from 1 on, not ${connections}.`);
  for (const each of [options, ...(ofSites?.values() ?? [])]) checkOptions(each);
  const timing = realTiming(clock, delay);
  const book = new AddressBook(timing.now, addressesOf);
  return new SiteRateLimiter(
    {
      ...timing,
      random,
      addressesOf: (site) => book.addressesOf(site),
    },
    options,
    (site) => ofSites?.get(site) ?? options,
    connections,
  );
}
