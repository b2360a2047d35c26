import { type PeerStore, parseUrl, type ToldUrl, type ToldUrlState } from "../../core/index.ts";
import { normaliseUrl } from "../../formats/url/index.ts";
import type { WebEvent } from "../../formats/web-events/index.ts";
import { planCandidate } from "./plan-candidate.ts";

/** What events came to, in numbers of events. */
export interface CandidateCounts {
  /** URLs that were not known. */
  added: number;
  /** Pages that are polled at the next visit. */
  sooner: number;
  /** Pages that are polled later. */
  later: number;
  /** Events that tell nothing new, or of pages whose visits no peer moves. */
  known: number;
  /** Events of sites that are not crawled. */
  elsewhere: number;
  /** New URLs beyond the bound of their site. */
  tooMany: number;
}

const eventsAtATime = 1000;

/** Whether a URL is a share file of whatever crawler: that it changes is no news. */
export function isShareFile(url: string): boolean {
  return parseUrl(url)?.pathname === "/robots.shr";
}

interface Told extends ToldUrl {
  readonly event: WebEvent;
}

/** Turns the events of peers into candidates, some at a time. */
export class PeerCandidates {
  readonly #store: PeerStore;
  readonly #maxNewPerSite: number;
  readonly #sites = new Map<string, ReturnType<PeerStore["findSite"]>>();
  readonly #added = new Map<number, number>();
  #waiting: Told[] = [];
  readonly counts: CandidateCounts = { added: 0, sooner: 0, later: 0, known: 0, elsewhere: 0, tooMany: 0 };

  /** @param maxNewPerSite - most URLs that peers add to a site, all of them together */
  constructor(store: PeerStore, maxNewPerSite: number) {
    this.#store = store;
    this.#maxNewPerSite = maxNewPerSite;
  }

  add(event: WebEvent): void {
    const url = parseUrl(normaliseUrl(event.url) ?? "");
    const site = url && this.#findSite(url.origin);
    if (url === undefined || site === undefined) this.counts.elsewhere += 1;
    else if (!site.isPolled || isShareFile(url.href)) this.counts.known += 1;
    else {
      const path = url.pathname + url.search;
      this.#waiting.push({ site: site.id, path, event: { ...event, url: url.href } });
      if (this.#waiting.length >= eventsAtATime) this.flush();
    }
  }

  /** Stores what was added, durably. */
  flush(): void {
    const told = this.#waiting;
    this.#waiting = [];
    if (told.length === 0) return;
    const states = this.#store.look(told);
    const moved = { added: [] as ToldUrl[], sooner: [] as number[], later: [] as [number, number][] };
    for (const [at, one] of told.entries()) {
      const state = states[at];
      if (state !== undefined) this.#decide(one, state, moved);
    }
    this.#store.move(moved);
  }

  #decide(
    { site, path, event }: Told,
    { id, isMovable, event: seen, askedAt }: ToldUrlState,
    moved: { readonly added: ToldUrl[]; readonly sooner: number[]; readonly later: [number, number][] },
  ): void {
    const own = seen && { ...seen, url: event.url, polledAt: askedAt ?? seen.at, crawler: "" };
    const candidate = isMovable ? planCandidate(event, { event: own, askedAt }) : { kind: "known" as const };
    if (candidate.kind === "known") this.counts.known += 1;
    else if (candidate.kind === "later" && id !== undefined) {
      moved.later.push([id, candidate.dueAt]);
      this.counts.later += 1;
    } else if (id !== undefined) {
      moved.sooner.push(id);
      this.counts.sooner += 1;
    } else if ((this.#added.get(site) ?? 0) >= this.#maxNewPerSite) this.counts.tooMany += 1;
    else {
      this.#added.set(site, (this.#added.get(site) ?? 0) + 1);
      moved.added.push({ site, path });
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
