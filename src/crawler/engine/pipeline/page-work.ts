import type { DeleteItem, FetchItem } from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import type { SeekPackages } from "../discovery/source.ts";
import type { Postponed } from "../politeness/patient-request.ts";
import { maxTroublesInARow } from "../politeness/patient-request.ts";
import { type CrawlVisit, isTimeUp } from "../visit/crawl-visit.ts";
import { isCancelled, throwIfAborted, warn } from "../visit/reading-visit.ts";
import { dueFetches, dueWork, reservedFor } from "./due-work.ts";
import { PackageWork } from "./package-work.ts";
import { askForPage, findPage, type PageAnswer } from "./page-request.ts";
import { PageResults } from "./page-results.ts";
import { Permits } from "./permits.ts";
import { SettlementBatch } from "./settlement-batch.ts";

async function deletePages(visit: CrawlVisit): Promise<void> {
  const batch = new SettlementBatch(visit);
  for (const { path, isHeld } of dueWork<DeleteItem>(visit, "delete", (item) => item.path)) {
    if (isCancelled(visit)) break;
    await visit.ports.bodies.remove(path, "published");
    if (isHeld) {
      visit.tally.deleted++;
      visit.report({ event: "page", site: visit.origin, path, outcome: "deleted" });
    }
    await batch.add({ kind: "removed", path, reason: "published" });
  }
  await batch.finish();
}

class FetchWork {
  readonly #visit: CrawlVisit;
  readonly #first: Iterator<FetchItem>;
  readonly #away: Iterator<FetchItem>;
  readonly #reserved: number;
  readonly #results: PageResults;
  /** Who asks the server holds one, also while it is waited for a server in trouble. */
  readonly #permits: Permits;
  #failed = false;
  /** Set once the site wants to be left alone for longer than we wait. */
  postponed: Postponed | undefined;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    const { first, away } = dueFetches(visit);
    this.#first = first;
    this.#away = away.values();
    this.#reserved = reservedFor(away.length, visit.budget);
    this.#results = new PageResults(visit);
    this.#permits = new Permits(Math.max(1, visit.concurrency));
  }

  async run(): Promise<void> {
    const { concurrency, ports } = this.#visit;
    // More than may ask at a time: while they keep their pages, the server answers the next ones.
    const count = Math.max(1, concurrency) + (ports.bodies.keepsAtOnce ?? 1);
    const runners = Array.from({ length: count }, () => this.#runOne());
    const ends = await Promise.allSettled(runners);
    await this.#results.finish();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  async #runOne(): Promise<void> {
    try {
      for (let item = this.#next(); item !== undefined; item = this.#next()) await this.#treat(item);
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  #next(): FetchItem | undefined {
    const { budget, tally } = this.#visit;
    if (this.#isOver()) return undefined;
    const asked = tally.pageRequests + tally.pagesUnderWay;
    const first = asked < budget - this.#reserved ? this.#first.next() : undefined;
    if (first?.done === false) return first.value;
    const away = asked < budget ? this.#away.next() : undefined;
    return away?.done === false ? away.value : undefined;
  }

  #isOver(): boolean {
    if (this.#failed || this.postponed !== undefined || isCancelled(this.#visit)) return true;
    if (isTimeUp(this.#visit)) return true;
    return this.#visit.tally.troublesInARow >= maxTroublesInARow;
  }

  async #treat(item: FetchItem): Promise<void> {
    const { ports, tally } = this.#visit;
    const adopted = ports.bodies.adopt(item.page);
    if (adopted !== undefined) return this.#results.add(item, { kind: "adopted", ...adopted });
    if (!robotsAllow(this.#visit.robots, this.#visit.agent, item.page.path))
      return this.#results.add(item, {
        kind: "trouble",
        trouble: "disallowed",
        message: "robots.txt does not allow it",
      });
    tally.pagesUnderWay++;
    using answer = await this.#ask(item).finally(() => {
      tally.pagesUnderWay--;
    });
    if (answer?.outcome.kind === "postponed") this.postponed = answer.outcome;
    // The next request goes out before this page is hashed and kept, and the server works meanwhile.
    await ports.requests.sent?.();
    const finding = answer === undefined ? undefined : await findPage(this.#visit, item, answer);
    if (finding === undefined) return;
    if (finding.kind === "body" || item.held !== undefined) tally.askedAndHeld++;
    return this.#results.add(item, finding);
  }

  async #ask(item: FetchItem): Promise<PageAnswer | undefined> {
    await this.#permits.acquire();
    try {
      // What happened while it waited may have ended the work.
      return this.#isOver() ? undefined : await askForPage(this.#visit, item);
    } finally {
      this.#permits.release();
    }
  }
}

/**
 * Does the work that is due: deletions first, so that a file makes room for a folder of its name,
 * then pages in the order of paths, each at most once a visit.
 *
 * @param fetchPackages - keeps many pages at once before the rest is asked for one by one
 */
export async function doPageWork(visit: CrawlVisit, fetchPackages?: SeekPackages): Promise<void> {
  await deletePages(visit);
  throwIfAborted(visit);
  const { packages } = visit.ports;
  await fetchPackages?.(visit, async (supply) => {
    if (packages !== undefined) await new PackageWork(visit, packages, supply).run();
  });
  throwIfAborted(visit);
  const work = new FetchWork(visit);
  await work.run();
  throwIfAborted(visit);
  if (work.postponed !== undefined)
    warn(visit, "site-postponed", `${work.postponed.message}; the rest is left for the next visit.`);
  if (visit.tally.troublesInARow < maxTroublesInARow) return;
  warn(
    visit,
    "site-in-trouble",
    `${maxTroublesInARow} page requests in a row failed; the rest is left for the next visit.`,
  );
}
