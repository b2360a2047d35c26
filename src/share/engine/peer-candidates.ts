import {
  type EpochSeconds,
  omitUndefined,
  type PeerSite,
  type PeerStore,
  parseUrl,
  type ToldUrl,
  type ToldUrlState,
  toldStandings,
} from "../../core/index.ts";
import { isCanonicalPath, normaliseUrl } from "../../formats/url/index.ts";
import type { ArchivedSite, EventArchive, SiteEvent, WebEvent } from "../../formats/web-events/index.ts";
import { type Candidate, planCandidate } from "./plan-candidate.ts";
import type { Claim, ClaimBook } from "./trust/claim-book.ts";
import { type Fault, isProven, type PeerTrust } from "./trust/peer-trust.ts";

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
  /** Events beyond what their peer is trusted with. Most were not looked up: they may tell nothing new. */
  deferred: number;
}

interface Moved {
  readonly added: ToldUrl[];
  readonly sooner: number[];
  readonly later: [id: number, checkedAt: EpochSeconds, dueAt: EpochSeconds][];
}

/** Events of one site, each with the crawler that saw it. */
interface WaitingEvents {
  readonly origin: string;
  readonly events: SiteEvent[];
  readonly crawlers: string[];
}

const eventsAtATime = 2000;

/** Where a crawler says what it shares: that this file changes is no news. */
export const shareControlPath = "/robots.shr";

/** Turns the events of peers into candidates, some at a time: the one place where a peer's event is accepted. */
export class PeerCandidates {
  readonly #store: PeerStore;
  readonly #claims: ClaimBook;
  readonly #maxNewPerSite: number;
  readonly #sites = new Map<string, PeerSite>();
  readonly #added = new Map<number, number>();
  /** Events of one site after the other, by the site's number. */
  #waiting = new Map<number, WaitingEvents>();
  #count = 0;
  #changed = new Set<string>();
  #peer = "";
  #special: readonly string[] = [];
  readonly counts: CandidateCounts = { added: 0, sooner: 0, later: 0, known: 0, elsewhere: 0, tooMany: 0, deferred: 0 };

  /** @param maxNewPerSite - most URLs that peers add to a site, all of them together */
  constructor(store: PeerStore, claims: ClaimBook, maxNewPerSite: number) {
    this.#store = store;
    this.#claims = claims;
    this.#maxNewPerSite = maxNewPerSite;
  }

  /** The events that follow are those of this peer. What it claimed before comes first, as far as it is trusted by now. */
  begin(peer: string): void {
    this.#claims.begin(peer);
    this.#peer = peer;
    this.#special = [];
    const { deferred } = this.counts;
    const moved: Moved = { added: [], sooner: [], later: [] };
    for (const claim of this.#claims.takeWaiting()) {
      this.#claims.look(claim.site, [claim.path]);
      const [state] = this.#store.lookAtNews(claim.site, [claim]);
      if (state?.isMovable) this.#move(claim, state, moved);
    }
    // They were counted when they came.
    this.counts.deferred = deferred;
    this.#keep(moved);
  }

  /** The peer knows these URLs, and what is below them, especially well. If it is proven, they are left to it. */
  noteSpecial(special: readonly string[]): void {
    this.#special = isProven(this.#claims.trustOf(this.#peer)) ? special : [];
  }

  /** Notes a fault of the peer that no page proves. */
  blame(fault: Fault): void {
    this.#claims.blame(fault);
    this.#claims.flush();
  }

  /** How far a peer is trusted. */
  trustOf(peer: string): PeerTrust {
    return this.#claims.trustOf(peer);
  }

  /** Takes an event of a day's file. */
  add({ url: written, crawler, ...event }: WebEvent): void {
    const url = parseUrl(normaliseUrl(written) ?? "");
    const path = url === undefined ? "" : url.pathname + url.search;
    // Servers take `//a` for `/a`, and rules of robots.txt do not.
    if (url === undefined || !isCanonicalPath(path)) this.skip(1);
    else this.addOf(url.origin, { ...event, path }, crawler);
  }

  /** Takes an event of a site, its path as it is stored, as the crawler of this name saw it. */
  addOf(origin: string, event: SiteEvent, crawler: string): void {
    const site = this.#findSite(origin);
    if (site === undefined) this.skip(1);
    else if (!site.isPolled || event.path === shareControlPath) this.counts.known += 1;
    else {
      let waiting = this.#waiting.get(site.id);
      if (waiting === undefined) {
        waiting = { origin: site.origin, events: [], crawlers: [] };
        this.#waiting.set(site.id, waiting);
      }
      waiting.events.push(event);
      waiting.crawlers.push(crawler);
      this.#count += 1;
      if (this.#count >= eventsAtATime) this.flush();
    }
  }

  /** Takes the events of a site in an archive, as the crawler of this name saw them. */
  takeSite(archive: EventArchive, { origin, from, to }: ArchivedSite, crawler: string): void {
    const site = this.#findSite(origin);
    if (site === undefined) this.skip(to - from);
    else if (!site.isPolled) this.counts.known += to - from;
    else {
      const isFull = this.#claims.putsOff(site.id, ["create", "update", "delete"]);
      const isFullOfPromises = isFull && this.#claims.putsOff(site.id, ["same"]);
      const claimed = isFull ? this.#claims.listClaimed(site.id) : undefined;
      // What is put off whatever it says is not compared with what is held.
      const standings = isFullOfPromises ? undefined : this.#store.compare(site.id, archive, from, to);
      for (let at = from; at < to; at++) {
        const standing = standings?.[at - from];
        const isPutOff = standing === undefined || standing === toldStandings.mayBeSame ? isFullOfPromises : isFull;
        if (standing === toldStandings.answered) this.counts.known += 1;
        else if (isPutOff && (claimed?.size === 0 || !claimed?.has(archive.pathAt(at)))) this.counts.deferred += 1;
        else this.addOf(site.origin, archive.eventAt(at), crawler);
      }
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
    const moved: Moved = { added: [], sooner: [], later: [] };
    for (const [site, { origin, events, crawlers }] of waiting) {
      const news = this.#store.lookAtNews(site, events);
      this.#claims.look(
        site,
        news.flatMap(({ at }) => events[at]?.path ?? []),
      );
      const before = moved.added.length + moved.sooner.length;
      this.counts.known += events.length - news.length;
      for (const state of news) {
        const [event, crawler = ""] = [events[state.at], crawlers[state.at]];
        if (event !== undefined) this.#decide(site, { ...event, url: origin + event.path, crawler }, state, moved);
      }
      if (moved.added.length + moved.sooner.length > before) this.#changed.add(origin);
    }
    this.#keep(moved);
  }

  // A claim that waited does not come again: were it open and its visit not moved, it would be lost.
  #keep(moved: Moved): void {
    this.#store.together(() => {
      this.#claims.flush();
      this.#store.move(moved);
    });
  }

  #decide(site: number, event: WebEvent & SiteEvent, state: ToldUrlState, moved: Moved): void {
    const { isMovable, event: seen, askedAt } = state;
    const own = seen && { ...omitUndefined(seen), url: event.url, polledAt: askedAt ?? seen.at, crawler: "" };
    const isSpecial = this.#special.some((url) => event.url.startsWith(url));
    const candidate = isMovable ? planCandidate(event, { event: own, askedAt }, isSpecial) : { kind: "known" as const };
    const { path, polledAt, crawler: source } = event;
    if (candidate.kind === "known") this.counts.known += 1;
    else {
      const kind =
        candidate.kind === "later" ? "same" : event.kind === "deleted" ? "delete" : seen ? "update" : "create";
      this.#move({ site, path, kind, source, polledAt }, state, moved, candidate);
    }
  }

  #move(
    claim: Claim,
    { id }: ToldUrlState,
    { added, sooner, later }: Moved,
    candidate: Candidate = { kind: "sooner" },
  ): void {
    const { site, path } = claim;
    const count = this.#added.get(site) ?? 0;
    if (id === undefined && count >= this.#maxNewPerSite) {
      this.counts.tooMany += 1;
      return;
    }
    const admission = this.#claims.admit(claim);
    if (admission === "defer") this.counts.deferred += 1;
    else if (id === undefined) {
      this.#added.set(site, count + 1);
      added.push({ site, path });
      this.counts.added += 1;
    } else if (admission !== "probe" && candidate.kind === "later") {
      later.push([id, candidate.checkedAt, admission === "heed" ? 0 : candidate.dueAt]);
      this.counts.later += 1;
    } else {
      sooner.push(id);
      this.counts.sooner += 1;
    }
  }

  // A peer may name any number of origins: only those of our own are kept, and not as parts of its texts, which would be kept whole.
  #findSite(origin: string): PeerSite | undefined {
    const known = this.#sites.get(origin);
    if (known !== undefined) return known;
    const site = this.#store.findSite(origin);
    if (site !== undefined) this.#sites.set(site.origin, site);
    return site;
  }
}
