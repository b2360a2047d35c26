/** A site, and the address that brought it. */
export interface QueuedSite {
  readonly site: number;
  readonly by: number;
}

/** Sites that wait for look-ups or first turns: in turn by who brought them, so that nobody who brings many keeps others waiting. */
export class FairQueue {
  readonly #mostOfOne: number;
  /** Who is next first. */
  readonly #waiting = new Map<number, { sites: number[]; next: number }>();
  readonly #underWay = new Map<number, number>();
  #size = 0;

  /** @param mostOfOne - most at once for sites that one brought: a name server or host that never answers holds up no more */
  constructor(mostOfOne: number) {
    this.#mostOfOne = mostOfOne;
  }

  get size(): number {
    return this.#size;
  }

  /** @param by - the address that brought the site; undefined where nobody did */
  add(site: number, by: number = nobody): void {
    const waiting = this.#waiting.get(by) ?? { sites: [], next: 0 };
    waiting.sites.push(site);
    this.#waiting.set(by, waiting);
    this.#size++;
  }

  /** Takes the next site, until {@link end}. O(those who brought sites and have as many as may be) */
  take(): QueuedSite | undefined {
    for (const [by, waiting] of this.#waiting) {
      if (!this.begin(by)) continue;
      const site = waiting.sites[waiting.next++] as number;
      this.#waiting.delete(by);
      if (waiting.next < waiting.sites.length) this.#waiting.set(by, waiting);
      if (waiting.next * 2 > waiting.sites.length) {
        waiting.sites = waiting.sites.slice(waiting.next);
        waiting.next = 0;
      }
      this.#size--;
      return { site, by };
    }
    return undefined;
  }

  /** Takes one of the places of who brought a site, until {@link end}. @returns whether there was one */
  begin(by: number = nobody): boolean {
    const underWay = this.#underWay.get(by) ?? 0;
    if (by !== nobody && underWay >= this.#mostOfOne) return false;
    this.#underWay.set(by, underWay + 1);
    return true;
  }

  /** Gives a place back. */
  end(by: number = nobody): void {
    const left = (this.#underWay.get(by) ?? 0) - 1;
    if (left > 0) this.#underWay.set(by, left);
    else this.#underWay.delete(by);
  }
}

const nobody = -1;
