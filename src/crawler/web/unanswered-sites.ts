import type { EpochMs } from "../../core/index.ts";
import { FairQueue } from "./fair-queue.ts";

/** Those that one address brought have one part in so many of all places. */
const bringersAtOnce = 4;
/** A turn that takes longer does not count, as of other connections; there are at most half as many again. */
const slowMs = 5000;
const mostShare = 1.5;

interface FirstTurn {
  /** Who brought the site. */
  readonly by: number | undefined;
  readonly since: EpochMs;
}

/**
 * Which sites have answered in this run. Those that have not have a bounded number of turns at once, shared out by who brought them;
 * more of them are parked until there is a place. Hosts that never answer keep nobody waiting.
 */
export class UnansweredSites {
  readonly #places: number;
  readonly #answered = new Set<number>();
  /** Turns under way, by site, the oldest first. */
  readonly #underWay = new Map<number, FirstTurn>();
  readonly #parked: FairQueue;
  readonly #isParked = new Set<number>();
  readonly #bringers = new Map<number, number>();

  /** @param places - turns at once */
  constructor(places: number) {
    this.#places = places;
    this.#parked = new FairQueue(Math.max(1, Math.floor(places / bringersAtOnce)));
  }

  /** Turns of such sites that are under way. */
  get underWay(): number {
    return this.#underWay.size;
  }

  hasAnswered(site: number): boolean {
    return this.#answered.has(site);
  }

  isParked(site: number): boolean {
    return this.#isParked.has(site);
  }

  /** Notes who brought a new site: an address. */
  note(site: number, by: number | undefined): void {
    if (by !== undefined) this.#bringers.set(site, by);
  }

  /** Begins the turn of a site. @returns whether it may; else it is parked */
  begin(site: number, now: EpochMs): boolean {
    if (this.#answered.has(site)) return true;
    const by = this.#bringers.get(site);
    if (this.#hasPlace(now) && this.#parked.begin(by)) {
      this.#underWay.set(site, { by, since: now });
      return true;
    }
    this.#isParked.add(site);
    this.#parked.add(site, by);
    return false;
  }

  /** Ends the turn of a site. */
  end(site: number, isAnswered: boolean): void {
    const turn = this.#underWay.get(site);
    if (turn !== undefined) this.#parked.end(turn.by);
    this.#underWay.delete(site);
    if (!isAnswered) this.#answered.delete(site);
    else {
      this.#answered.add(site);
      this.#bringers.delete(site);
    }
  }

  /** Takes a parked site for which there is a place; undefined if there is none. */
  unpark(now: EpochMs): number | undefined {
    if (!this.#hasPlace(now)) return undefined;
    const next = this.#parked.take();
    if (next === undefined) return undefined;
    this.#parked.end(next.by);
    this.#isParked.delete(next.site);
    return next.site;
  }

  #hasPlace(now: EpochMs): boolean {
    if (this.#underWay.size < this.#places) return true;
    if (this.#underWay.size >= this.#places * mostShare) return false;
    let slow = 0;
    for (const { since } of this.#underWay.values()) {
      if (now - since < slowMs) break;
      slow++;
    }
    return this.#underWay.size - slow < this.#places;
  }
}
