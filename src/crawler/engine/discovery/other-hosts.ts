import { ok, problem, type Result } from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import type { ReadingVisit } from "../visit/reading-visit.ts";
import { keepCrawlDelay, readRobots } from "./robots-rules.ts";

/** So many hosts beside the site's own are asked in a visit. */
const maxHosts = 10;

/** A host that is asked in the course of a visit to a site, and its rules. */
export interface HostVisit extends ReadingVisit {
  readonly robots: Robots;
}

/** Hosts on which a site has some of its lists. Each has a robots.txt, a pace and a turn of its own. */
export class OtherHosts {
  readonly #visit: HostVisit;
  readonly #found = new Map<string, Promise<Result<HostVisit>>>();

  /** @param visit - to the site itself */
  constructor(visit: HostVisit) {
    this.#visit = visit;
  }

  /**
   * The visit to ask an origin in.
   *
   * @returns a problem `host-unavailable` if its robots.txt cannot be had, `too-many`
   */
  async visitOf(origin: string): Promise<Result<HostVisit>> {
    if (origin === this.#visit.origin) return ok(this.#visit);
    const known = this.#found.get(origin);
    if (known !== undefined) return await known;
    if (this.#found.size >= maxHosts) return problem("too-many", `more than ${maxHosts} other hosts`);
    const found = this.#ask(origin);
    this.#found.set(origin, found);
    return await found;
  }

  async #ask(origin: string): Promise<Result<HostVisit>> {
    // What is remembered of clocks is the site's own.
    const { clocks: _, ...own } = this.#visit;
    const visit: ReadingVisit = { ...own, origin, concurrency: 1 };
    const rules = await readRobots(visit, undefined);
    if (!rules.ok) return problem("host-unavailable", `${origin}: ${rules.error.message}`);
    const { robots } = rules.value;
    keepCrawlDelay(visit, robots);
    return ok({ ...visit, robots });
  }
}
