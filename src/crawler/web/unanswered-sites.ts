import { FairQueue } from "./fair-queue.ts";

/** Those that one address brought have one part in so many of all places. */
const bringersAtOnce = 4;

/**
 * Which sites have answered in this run. Those that have not have a bounded number of turns at once, shared out by who brought them;
 * more of them are parked until there is a place. Hosts that never answer keep nobody waiting.
 */
export class UnansweredSites {
  readonly #places: number;
  readonly #answered = new Set<number>();
  /** Turns under way, by site, with who brought it. */
  readonly #underWay = new Map<number, number | undefined>();
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
  begin(site: number): boolean {
    if (this.#answered.has(site)) return true;
    const by = this.#bringers.get(site);
    if (this.#underWay.size < this.#places && this.#parked.begin(by)) {
      this.#underWay.set(site, by);
      return true;
    }
    this.#isParked.add(site);
    this.#parked.add(site, by);
    return false;
  }

  /** Ends the turn of a site. */
  end(site: number, isAnswered: boolean): void {
    if (this.#underWay.has(site)) this.#parked.end(this.#underWay.get(site));
    this.#underWay.delete(site);
    if (!isAnswered) this.#answered.delete(site);
    else {
      this.#answered.add(site);
      this.#bringers.delete(site);
    }
  }

  /** Takes a parked site for which there is a place; undefined if there is none. */
  unpark(): number | undefined {
    if (this.#underWay.size >= this.#places) return undefined;
    const next = this.#parked.take();
    if (next === undefined) return undefined;
    this.#parked.end(next.by);
    this.#isParked.delete(next.site);
    return next.site;
  }
}
