import { robotsAllow } from "../format/index.ts";
import type { DeleteItem, FetchItem, WorkItem } from "../model/index.ts";
import { areRulesOld, type CrawlVisit } from "./crawl-visit.ts";
import { type Judgement, judgePage, type PageFinding } from "./page-judgement.ts";
import { askForPage, findPage, type PageAnswer } from "./page-request.ts";
import { maxTroublesInARow } from "./patient-request.ts";
import { Permits } from "./permits.ts";
import { isCancelled, throwIfAborted, warn } from "./reading-visit.ts";
import { productToken } from "./robots-rules.ts";
import { SettlementBatch } from "./settlement-batch.ts";
import type { Postponed } from "./site-turn.ts";

const pageOfWork = 1000;
const progressEveryMs = 250;

/** Due work of a kind, in the order of paths, read from the store a part at a time. */
function* dueWork<Item extends WorkItem>(
  visit: CrawlVisit,
  kind: Item["kind"],
  pathOf: (item: Item) => string,
): Generator<Item, void, void> {
  let after = "";
  for (;;) {
    const items = visit.ports.work.take(kind, after, pageOfWork) as Item[];
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < pageOfWork) return;
    after = pathOf(last);
  }
}

async function deletePages(visit: CrawlVisit): Promise<void> {
  const batch = new SettlementBatch(visit);
  for (const { path, isHeld } of dueWork<DeleteItem>(visit, "delete", (item) => item.path)) {
    if (isCancelled(visit)) break;
    visit.ports.bodies.remove(path);
    if (isHeld) {
      visit.tally.deleted++;
      visit.report({ event: "page", site: visit.origin, path, outcome: "deleted" });
    }
    await batch.add({ kind: "removed", path, reason: "published" });
  }
  await batch.finish();
}

function countJudgement(visit: CrawlVisit, item: FetchItem, judgement: Judgement): void {
  const { tally } = visit;
  const { outcome } = judgement;
  if (outcome === "created") tally.created++;
  if (outcome === "updated") tally.updated++;
  if (outcome === "differs") tally.differing++;
  if (outcome === "failed") tally.failed++;
  if (outcome === "gone" && item.held !== undefined) tally.deleted++;
}

class FetchWork {
  readonly #visit: CrawlVisit;
  readonly #items: Iterator<FetchItem>;
  readonly #batch: SettlementBatch;
  readonly #total: number;
  /** Who asks the server holds one, also while it is waited for a server in trouble. */
  readonly #permits: Permits;
  #done = 0;
  #reportedAt = 0;
  #failed = false;
  /** Set once the site wants to be left alone for longer than we wait. */
  postponed: Postponed | undefined;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#items = dueWork<FetchItem>(visit, "fetch", (item) => item.page.path);
    this.#batch = new SettlementBatch(visit);
    this.#total = visit.ports.work.counts().pending;
    this.#permits = new Permits(Math.max(1, visit.concurrency));
  }

  async run(): Promise<void> {
    // One more than may ask at a time: while it keeps its page, the server answers the next one.
    const runners = Array.from({ length: Math.max(1, this.#visit.concurrency) + 1 }, () => this.#runOne());
    const ends = await Promise.allSettled(runners);
    await this.#batch.finish();
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
    if (tally.pageRequests + tally.pagesUnderWay >= budget) return undefined;
    const next = this.#items.next();
    return next.done === true ? undefined : next.value;
  }

  #isOver(): boolean {
    if (this.#failed || this.postponed !== undefined || isCancelled(this.#visit)) return true;
    if (areRulesOld(this.#visit)) return true;
    return this.#visit.tally.troublesInARow >= maxTroublesInARow;
  }

  async #treat(item: FetchItem): Promise<void> {
    const { ports, tally } = this.#visit;
    const adopted = ports.bodies.adopt(item.page);
    if (adopted !== undefined) return this.#settle(item, { kind: "adopted", ...adopted });
    if (!robotsAllow(this.#visit.robots, productToken, item.page.path))
      return this.#settle(item, { kind: "trouble", trouble: "disallowed", message: "robots.txt does not allow it" });
    tally.pagesUnderWay++;
    using answer = await this.#ask(item).finally(() => {
      tally.pagesUnderWay--;
    });
    if (answer?.outcome.kind === "postponed") this.postponed = answer.outcome;
    // The next request goes out before this page is hashed and kept, and the server works meanwhile.
    await ports.requests.sent?.();
    const finding = answer === undefined ? undefined : findPage(this.#visit, item, answer);
    if (finding === undefined) return;
    if (finding.kind === "body" || item.held !== undefined) tally.askedAndHeld++;
    return this.#settle(item, finding);
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

  async #settle(item: FetchItem, finding: PageFinding): Promise<void> {
    const judgement = judgePage(item, finding);
    const { settlement, outcome, message } = judgement;
    if (settlement.kind === "removed") {
      this.#visit.ports.bodies.remove(settlement.path);
      if (item.held !== undefined) this.#visit.tally.askedAndHeld--;
    }
    countJudgement(this.#visit, item, judgement);
    const { path } = item.page;
    const site = this.#visit.origin;
    if (finding.kind === "trouble" && finding.trouble === "mirror")
      this.#visit.report({ event: "item-error", site, code: "mirror-collision", message: finding.message, path });
    if (outcome !== undefined)
      this.#visit.report({ event: "page", site, path, outcome, ...(message === undefined ? {} : { message }) });
    this.#done++;
    this.#reportProgress();
    await this.#batch.add(settlement);
  }

  #reportProgress(): void {
    const now = this.#visit.ports.timing.now();
    if (now - this.#reportedAt < progressEveryMs && this.#done < this.#total) return;
    this.#reportedAt = now;
    const total = Math.max(this.#total, this.#done);
    this.#visit.report({ event: "progress", site: this.#visit.origin, phase: "pages", done: this.#done, total });
  }
}

/**
 * Does the work that is due: deletions first, so that a file makes room for a folder of its name,
 * then pages in the order of paths, each at most once a visit.
 */
export async function doPageWork(visit: CrawlVisit): Promise<void> {
  await deletePages(visit);
  throwIfAborted(visit);
  const work = new FetchWork(visit);
  await work.run();
  throwIfAborted(visit);
  if (work.postponed !== undefined)
    warn(visit, "site-postponed", `${work.postponed.message}; the rest is left for another visit.`);
  if (visit.tally.troublesInARow < maxTroublesInARow) return;
  warn(
    visit,
    "site-in-trouble",
    `${maxTroublesInARow} page requests in a row went unanswered; the rest is left for another visit.`,
  );
}
