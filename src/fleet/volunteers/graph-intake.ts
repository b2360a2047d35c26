import type { EpochMs } from "../../core/index.ts";
import { changeOfLinks, crawlPriorities } from "../../graph/index.ts";
import { packLinks, unpackLinks } from "./link-hashes.ts";
import type { BelievedPage } from "./merge-results.ts";
import type { StoredUnit, VolunteerStore } from "./volunteer-store.ts";
import type { FetchedPage, WorkSource } from "./work-source.ts";

/** Sites that a unit may bring on the word of volunteers without a record. */
const maxDoubtfulSites = 5;
const maxQuarantined = 1000;
/** After so many pages, and after so large a share of the known ones, some of these are chosen to be visited again: that takes as long as there are. */
const pagesAPlan = 100;
const shareAPlan = 0.01;
/** K. Chen, section 5.1: 90 percent of the units are new nodes, 10 percent old ones. */
const oldPerNew = 1 / 9;
const crawlSeconds = 182.5 * 86_400;

const originOf = (url: string): string => new URL(url).origin;

/** Sites that wait on the word of a volunteer: those of earlier units, and those that this unit adds. */
interface WaitingSites {
  readonly count: number;
  readonly added: Set<string>;
}

/** Brings what is believed into the crawl, and chooses known pages to be visited again. */
export class GraphIntake {
  readonly #store: VolunteerStore;
  readonly #work: WorkSource;
  readonly #revisitMs: number;
  #sincePlan = 0;
  /** Pages that were known when some were chosen last. */
  #known = 0;
  pages = 0;
  links = 0;
  quarantined = 0;

  constructor(store: VolunteerStore, work: WorkSource, revisitMs: number) {
    this.#store = store;
    this.#work = work;
    this.#revisitMs = revisitMs;
  }

  /** Whether a page was visited, and nobody is to visit it again. */
  isDone(url: string): boolean {
    return this.#store.page(url)?.isWanted === false;
  }

  /** Leaves a page as it was that nobody got when it was to be visited again, as if it had been visited. @returns whether it is known */
  giveUp(url: string, now: EpochMs): boolean {
    const page = this.#store.page(url);
    if (page !== undefined) this.#store.leavePage(url, now);
    return page !== undefined;
  }

  /** Keeps the pages of a unit. What a kill leaves undone is done again by the next call with the same unit. */
  take({ origin, pages }: StoredUnit, believed: ReadonlyMap<string, BelievedPage>, now: EpochMs): void {
    const fetched: FetchedPage[] = [];
    const acts: Array<() => void> = [];
    const doubtful = new Set<string>();
    const waiting = new Map<string, WaitingSites>();
    for (const { path, note } of pages) {
      const one = believed.get(path);
      if (one === undefined) continue;
      const kept = one.links.filter((link) => this.#admit(link, one, doubtful, waiting, acts));
      const { answer, at } = one.page;
      const isRedirect = typeof answer === "number" && answer >= 300 && answer < 400;
      fetched.push({ origin, path, note, at: at * 1000, isRedirect, links: kept });
      acts.push(() => this.#remember(origin + path, kept, now));
      this.pages++;
      this.links += kept.length;
    }
    this.#sincePlan += fetched.length;
    this.#work.take(fetched);
    this.#store.transact(() => {
      for (const act of acts) act();
    });
  }

  /**
   * Whether a link is kept. Volunteers without a record bring a few new sites with a unit; others wait until one with a record, or two more
   * without, report them as well, and a later visit of the page brings the link.
   */
  #admit(
    link: string,
    { isDoubtful, volunteers }: BelievedPage,
    doubtful: Set<string>,
    waiting: Map<string, WaitingSites>,
    acts: Array<() => void>,
  ): boolean {
    const site = originOf(link);
    if (doubtful.has(site) || this.#work.knows(site)) return true;
    const others = this.#store.quarantined(site).filter((who) => !volunteers.includes(who));
    const isConfirmed = !isDoubtful || others.length >= 2;
    if (isConfirmed || doubtful.size < maxDoubtfulSites) {
      if (!isConfirmed) doubtful.add(site);
      acts.push(() => this.#store.dropQuarantined("origin", site));
      return true;
    }
    this.quarantined++;
    for (const who of volunteers) this.#quarantine(site, who, waiting, acts);
    return false;
  }

  /** @param waiting - sites that wait on the word of each volunteer, as soon as the acts are done */
  #quarantine(site: string, who: string, waiting: Map<string, WaitingSites>, acts: Array<() => void>): void {
    const { count, added } = waiting.get(who) ?? { count: this.#store.countQuarantined(who), added: new Set<string>() };
    waiting.set(who, { count, added });
    if (count + added.size >= maxQuarantined || added.has(site) || this.#store.quarantined(site).includes(who)) return;
    added.add(site);
    acts.push(() => this.#store.addQuarantined(site, who));
  }

  #remember(url: string, links: readonly string[], now: EpochMs): void {
    const before = this.#store.page(url);
    const packed = packLinks(links);
    const change = before === undefined ? undefined : changeOfLinks(unpackLinks(before.links), unpackLinks(packed));
    const isBothEmpty = before?.links === "" && links.length === 0;
    const seen = change === undefined ? undefined : isBothEmpty ? 0 : change;
    const largest = seen === undefined ? undefined : Math.max(seen, before?.largest ?? 0);
    this.#store.setPage(url, { visited: now, isWanted: false, links: packed, change, largest }, links.length);
    this.#store.countInLinks(links);
  }

  /** Chooses known pages to be visited again, when it is time for that. O(pages) */
  planRevisits(now: EpochMs): void {
    if (this.#sincePlan < Math.max(pagesAPlan, this.#known * shareAPlan)) return;
    const count = Math.round(this.#sincePlan * oldPerNew);
    this.#sincePlan = 0;
    const all = this.#store.knownPages();
    this.#known = all.length;
    const known = all.filter(([, visited]) => visited + this.#revisitMs <= now);
    const priorities = crawlPriorities(
      {
        inDegrees: Uint32Array.from(known, ([, , inLinks]) => inLinks),
        outDegrees: Uint32Array.from(known, ([, , , outLinks]) => outLinks),
        visitedAt: Float64Array.from(known, ([, visited]) => visited / 1000),
        changes: Float64Array.from(known, ([, , , , change]) => change ?? Number.NaN),
      },
      now / 1000,
      crawlSeconds,
    );
    const chosen = [...priorities.keys()]
      .sort((a, b) => (priorities[b] as number) - (priorities[a] as number) || a - b)
      .slice(0, count)
      .map((at) => (known[at] as (typeof known)[number])[0]);
    if (chosen.length === 0) return;
    this.#store.wantPages(chosen);
    this.#work.again(chosen);
  }
}
