import type { HostKind } from "../../../lab/hosts/virtual-host.ts";
import { hostKinds } from "../../../lab/hosts/virtual-host.ts";
import type { EpochMs } from "../../../src/core/time.ts";
import type { LivingPage } from "./living-web.ts";

/** How fresh what a crawler holds was, from 0 to 1: means over pages and time. */
export interface Freshness {
  readonly all: number;
  readonly kinds: ReadonlyMap<HostKind, number>;
  /** Of each quarter of the time. */
  readonly quarters: readonly number[];
  /** Of each site, by its number. */
  readonly sites: ReadonlyMap<number, number>;
}

interface Held {
  version: number;
  since: EpochMs;
}

const quarters = 4;

/** Measures, by what a server sent and when its files changed, for which share of the time a crawler holds what is served. */
export class HeldFreshness {
  readonly #from: EpochMs;
  readonly #to: EpochMs;
  readonly #held = new Map<LivingPage, Held>();
  readonly #freshOfSites = new Map<number, number>();
  readonly #freshMs = new Map<HostKind, Float64Array>(hostKinds.map((kind) => [kind, new Float64Array(quarters)]));

  /** Time before `from` and after `to` is not measured. */
  constructor(from: EpochMs, to: EpochMs) {
    this.#from = from;
    this.#to = to;
  }

  /** Notes that a crawler was sent a version, or told that it has it. To be called in the order of time. */
  note(page: LivingPage, version: number, at: EpochMs): void {
    this.#count(page, at);
    this.#held.set(page, { version, since: at });
  }

  /** The version that was sent last; undefined if none was. */
  heldOf(page: LivingPage): number | undefined {
    return this.#held.get(page)?.version;
  }

  /** To be called once all is noted. */
  finish(pages: readonly LivingPage[]): Freshness {
    for (const page of pages) this.#count(page, this.#to);
    const pagesOf = (kind: HostKind): number => pages.filter((page) => page.kind === kind).length;
    const times = this.#to - this.#from;
    const sums = hostKinds.map((kind) => this.#freshMs.get(kind) ?? new Float64Array(quarters));
    const sumOf = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
    const pagesOfSites = new Map<number, number>();
    for (const { site } of pages) pagesOfSites.set(site, (pagesOfSites.get(site) ?? 0) + 1);
    return {
      sites: new Map(
        [...pagesOfSites].map(([site, count]) => [site, (this.#freshOfSites.get(site) ?? 0) / (count * times)]),
      ),
      all: sums.reduce((total, sum) => total + sumOf(sum), 0) / (pages.length * times),
      kinds: new Map(
        hostKinds.map((kind, at) => [kind, sumOf(sums[at] ?? new Float64Array()) / (pagesOf(kind) * times)]),
      ),
      quarters: Array.from(
        { length: quarters },
        (_, at) => sums.reduce((total, sum) => total + (sum[at] ?? 0), 0) / (pages.length * (times / quarters)),
      ),
    };
  }

  #count(page: LivingPage, until: EpochMs): void {
    const held = this.#held.get(page);
    if (held === undefined) return;
    const superseded = page.versions.find(({ version }) => version > held.version)?.at ?? Number.POSITIVE_INFINITY;
    const [begun, ended] = [held.since, Math.min(until, superseded)];
    held.since = until;
    const sums = this.#freshMs.get(page.kind);
    if (sums === undefined) return;
    const quarterMs = (this.#to - this.#from) / quarters;
    for (let at = 0; at < quarters; at++) {
      const from = this.#from + at * quarterMs;
      const freshMs = Math.min(ended, from + quarterMs) - Math.max(begun, from);
      if (freshMs <= 0) continue;
      sums[at] = (sums[at] ?? 0) + freshMs;
      this.#freshOfSites.set(page.site, (this.#freshOfSites.get(page.site) ?? 0) + freshMs);
    }
  }
}

/** How much fresher one crawler's copies were than another's. */
export interface FreshnessGain {
  /** Mean over sites. */
  readonly mean: number;
  readonly standardError: number;
}

/** Compares two crawlers site by site, since both met the same changes. */
export function compareFreshness(one: Freshness, other: Freshness): FreshnessGain {
  const gains = [...one.sites].map(([site, freshness]) => freshness - (other.sites.get(site) ?? 0));
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const squares = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0);
  return { mean, standardError: Math.sqrt(squares / (gains.length * (gains.length - 1))) };
}
