import { crawlDelayMs, type MadeSites } from "./made-sites.ts";

/** Timers are this exact. */
const toleranceMs = 2;

/** How often each rule was broken. */
export interface BrokenRules {
  /** Requests to an address while another was under way. */
  busy: number;
  /** Requests sooner after an answer than Crawl-delay says. */
  early: number;
  /** Requests beyond those of a turn, to an address that had no rest. */
  restless: number;
  /** Requests for what robots.txt disallows, of a site whose robots.txt forbids all or is broken, or without its rules. */
  disallowed: number;
}

/** Looks from the server's side whether a crawler keeps to the rules. */
export class PolitenessCheck {
  readonly #made: MadeSites;
  readonly #restMs: number;
  readonly #pagesBeforeRest: number;
  readonly #underWay: Uint8Array;
  readonly #sinceRest: Uint16Array;
  readonly #addressEndedAt: Float64Array;
  readonly #siteEndedAt: Float64Array;
  readonly #hasRules: Uint8Array;
  readonly broken: BrokenRules = { busy: 0, early: 0, restless: 0, disallowed: 0 };

  /** @param restMs - after so many requests; 0 for none */
  constructor(made: MadeSites, restMs: number, pagesBeforeRest: number) {
    this.#made = made;
    this.#restMs = restMs;
    this.#pagesBeforeRest = pagesBeforeRest;
    this.#underWay = new Uint8Array(made.sites);
    this.#sinceRest = new Uint16Array(made.sites);
    this.#addressEndedAt = new Float64Array(made.sites).fill(Number.NEGATIVE_INFINITY);
    this.#siteEndedAt = new Float64Array(made.sites).fill(Number.NEGATIVE_INFINITY);
    this.#hasRules = new Uint8Array(made.sites);
  }

  /** A request came. @returns to be called when its answer is sent, and when it is over */
  begin(site: number, path: string): { readonly answered: () => void; readonly closed: () => void } {
    const now = performance.now();
    const address = this.#made.addressNumberOf(site);
    if ((this.#underWay[address] as number) > 0) this.broken.busy++;
    this.#underWay[address] = (this.#underWay[address] as number) + 1;
    const delayMs = this.#made.kindOf(site) === "delayed" && this.#hasRules[site] === 1 ? crawlDelayMs : 0;
    if (now + toleranceMs - (this.#siteEndedAt[site] as number) < delayMs) this.broken.early++;
    if (now + toleranceMs - (this.#addressEndedAt[address] as number) >= this.#restMs) this.#sinceRest[address] = 0;
    this.#sinceRest[address] = (this.#sinceRest[address] as number) + 1;
    if (this.#restMs > 0 && (this.#sinceRest[address] as number) > this.#pagesBeforeRest) this.broken.restless++;
    if (!this.#mayBeAsked(site, path)) this.broken.disallowed++;
    const answered = (): void => {
      const endedAt = performance.now();
      this.#addressEndedAt[address] = endedAt;
      this.#siteEndedAt[site] = endedAt;
      if (path === "/robots.txt") this.#hasRules[site] = 1;
    };
    const closed = (): void => {
      this.#underWay[address] = (this.#underWay[address] as number) - 1;
    };
    return { answered, closed };
  }

  #mayBeAsked(site: number, path: string): boolean {
    if (path === "/robots.txt") return true;
    const kind = this.#made.kindOf(site);
    const isForbidden = kind === "forbidden" || kind === "broken-robots" || path.startsWith("/private/");
    return !isForbidden && this.#hasRules[site] === 1;
  }
}
