import type { FetchItem } from "../../../core/index.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";
import { type Judgement, judgePage, type PageFinding } from "./page-judgement.ts";
import { SettlementBatch } from "./settlement-batch.ts";

const progressEveryMs = 250;

function countJudgement(visit: CrawlVisit, item: FetchItem, judgement: Judgement): void {
  const { tally } = visit;
  const { outcome } = judgement;
  if (outcome === "created") tally.created++;
  if (outcome === "updated") tally.updated++;
  if (outcome === "differs") tally.differing++;
  if (outcome === "failed") tally.failed++;
  if (outcome === "unchanged") tally.askedAndHeld--;
  if (outcome === "gone" && item.held !== undefined) tally.deleted++;
}

/** What was found of pages that are due, on its way into the store: judged, counted, told. */
export class PageResults {
  readonly #visit: CrawlVisit;
  readonly #batch: SettlementBatch;
  readonly #total: number;
  #done = 0;
  #reportedAt = 0;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#batch = new SettlementBatch(visit);
    this.#total = visit.ports.work.counts().pending;
  }

  /** Takes what was found of a page. Rejects if earlier results could not be made durable. */
  async add(item: FetchItem, finding: PageFinding): Promise<void> {
    const judgement = judgePage(item, finding);
    const { settlement, outcome, message } = judgement;
    if (settlement.kind === "removed") {
      await this.#visit.ports.bodies.remove(settlement.path, settlement.reason);
      if (item.held !== undefined) this.#visit.tally.askedAndHeld--;
    }
    countJudgement(this.#visit, item, judgement);
    const { path } = item.page;
    const site = this.#visit.origin;
    if (finding.kind === "trouble" && finding.trouble === "mirror")
      this.#visit.report({ event: "item-error", site, code: "mirror-collision", message: finding.message, path });
    if (outcome !== undefined && outcome !== "unchanged")
      this.#visit.report({ event: "page", site, path, outcome, ...(message === undefined ? {} : { message }) });
    this.#done++;
    this.#reportProgress();
    await this.#batch.add(settlement);
  }

  /** Makes everything that was added durable. */
  async finish(): Promise<void> {
    await this.#batch.finish();
  }

  #reportProgress(): void {
    const now = this.#visit.ports.timing.now();
    if (now - this.#reportedAt < progressEveryMs && this.#done < this.#total) return;
    this.#reportedAt = now;
    const total = Math.max(this.#total, this.#done);
    this.#visit.report({ event: "progress", site: this.#visit.origin, phase: "pages", done: this.#done, total });
  }
}
