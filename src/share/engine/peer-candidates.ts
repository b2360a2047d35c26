import { omitUndefined, type PeerStore, parseUrl, type ToldUrl, type ToldUrlState } from "../../core/index.ts";
import { normaliseUrl } from "../../formats/url/index.ts";
import type { SiteEvent, WebEvent } from "../../formats/web-events/index.ts";
import { planCandidate } from "./plan-candidate.ts";

/** What events came to, in numbers of events. */
export interface CandidateCounts {
  /** URLs that were not known. */
  added: number;
  /** Pages that are polled at the next visit. */
  sooner: number;
  /** Pages that a peer found as we hold them: they are polled later. */
  later: number;
  /** Events that tell nothing new, or of pages whose visits no peer moves. */
  known: number;
  /** Events of sites that are not crawled. */
  elsewhere: number;
  /** New URLs beyond the bound of their site. */
  tooMany: number;
}

const eventsAtATime = 2000;

/** Whether a URL is a share file of whatever crawler: that it changes is no news. */
export function isShareFile(url: string): boolean {
  return url.endsWith("robots.shr") && parseUrl(url)?.pathname === "/robots.shr";
}

/** Turns the events of peers into candidates, some at a time: the one place where a peer's event is accepted. */
export class PeerCandidates {
  readonly #store: PeerStore;
  readonly #maxNewPerSite: number;
  readonly #sites = new Map<string, ReturnType<PeerStore["findSite"]>>();
  readonly #added = new Map<number, number>();
  /** Events of one site after the other, by the site's number. */
  #waiting = new Map<number, { readonly origin: string; readonly events: SiteEvent[] }>();
  #count = 0;
  #changed = new Set<string>();
  readonly counts: CandidateCounts = { added: 0, sooner: 0, later: 0, known: 0, elsewhere: 0, tooMany: 0 };

  /** @param maxNewPerSite - most URLs that peers add to a site, all of them together */
  constructor(store: PeerStore, maxNewPerSite: number) {
    this.#store = store;
    this.#maxNewPerSite = maxNewPerSite;
  }

  /** Takes an event of a day's file. */
  add({ url: written, crawler: _, ...event }: WebEvent): void {
    const url = parseUrl(normaliseUrl(written) ?? "");
    if (url === undefined) this.skip(1);
    else this.addOf(url.origin, { ...event, path: url.pathname + url.search });
  }

  /** Takes an event of a site, its path as it is stored. */
  addOf(origin: string, event: SiteEvent): void {
    const site = this.#findSite(origin);
    if (site === undefined) this.skip(1);
    else if (!site.isPolled || isShareFile(origin + event.path)) this.counts.known += 1;
    else {
      const waiting = this.#waiting.get(site.id) ?? { origin, events: [] };
      if (waiting.events.push(event) === 1) this.#waiting.set(site.id, waiting);
      this.#count += 1;
      if (this.#count >= eventsAtATime) this.flush();
    }
  }

  /** Whether a site of this origin is crawled. */
  isCrawled(origin: string): boolean {
    return this.#findSite(origin) !== undefined;
  }

  /** Origins of sites for which there are candidates to be requested, since the last call. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** Counts events of sites that are not crawled. */
  skip(events: number): void {
    this.counts.elsewhere += events;
  }

  /** Stores what was added, durably. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#count = 0;
    const moved = { added: [] as ToldUrl[], sooner: [] as number[], later: [] as [number, number, number][] };
    for (const [site, { origin, events }] of waiting) {
      const news = this.#store.lookAtNews(site, events);
      const before = moved.added.length + moved.sooner.length;
      this.counts.known += events.length - news.length;
      for (const state of news) {
        const event = events[state.at];
        if (event !== undefined) this.#decide(site, { ...event, url: origin + event.path, crawler: "" }, state, moved);
      }
      if (moved.added.length + moved.sooner.length > before) this.#changed.add(origin);
    }
    this.#store.move(moved);
  }

  #decide(
    site: number,
    event: WebEvent & SiteEvent,
    { id, isMovable, event: seen, askedAt }: ToldUrlState,
    moved: { readonly added: ToldUrl[]; readonly sooner: number[]; readonly later: [number, number, number][] },
  ): void {
    const own = seen && { ...omitUndefined(seen), url: event.url, polledAt: askedAt ?? seen.at, crawler: "" };
    const candidate = isMovable ? planCandidate(event, { event: own, askedAt }) : { kind: "known" as const };
    if (candidate.kind === "known") this.counts.known += 1;
    else if (candidate.kind === "later" && id !== undefined) {
      moved.later.push([id, candidate.checkedAt, candidate.dueAt]);
      this.counts.later += 1;
    } else if (id !== undefined) {
      moved.sooner.push(id);
      this.counts.sooner += 1;
    } else if ((this.#added.get(site) ?? 0) >= this.#maxNewPerSite) this.counts.tooMany += 1;
    else {
      this.#added.set(site, (this.#added.get(site) ?? 0) + 1);
      moved.added.push({ site, path: event.path });
      this.counts.added += 1;
    }
  }

  // A peer may name any number of origins: only those of our own are kept.
  #findSite(origin: string): ReturnType<PeerStore["findSite"]> {
    const known = this.#sites.get(origin);
    if (known !== undefined) return known;
    const site = this.#store.findSite(origin);
    if (site !== undefined) this.#sites.set(origin, site);
    return site;
  }
}
