import {
  type EpochMs,
  type EpochSeconds,
  type FoundUrl,
  noUsage,
  omitUndefined,
  type Settlement,
  type TrackedUrl,
} from "../../../core/index.ts";
import type { CrawlVisit } from "../discovery/crawl-visit.ts";
import { type RatePrior, rateOf } from "../revisit/change-rate.ts";
import { dueAgain, type Judgement, judgePage, type PageFinding } from "./page-judgement.ts";
import { dueAfterAnswer, intervalAfter } from "./poll-chooser.ts";
import { historyAfter, modifiedAtOf, readHazard, readHistory, readPrior, timeOfLastmod } from "./poll-planning.ts";
import { SettlementBatch } from "./settlement-batch.ts";

const progressEveryMs = 250;
/** Counting URLs takes at most one part in so many of the time. */
const countingShare = 100;

/**
 * Whether an answer says something of a list's `lastmod`: not if the page is gone, or was requested because its body is
 * in doubt or was brought by another source.
 */
function isEvidence({ held, fullAt, isUnconfirmed }: TrackedUrl, { settlement }: Judgement): boolean {
  return held !== undefined && fullAt !== undefined && !isUnconfirmed && settlement.kind === "answered";
}

/** What was found of pages, on its way into the store: judged, counted, reported, and noted for planning. */
export class PageResults {
  readonly #visit: CrawlVisit;
  readonly #batch: SettlementBatch;
  readonly #announced: number;
  readonly #prior: RatePrior;
  readonly #hazardPerSecond: number;
  #reportedAt = 0;
  #known = 0;
  #countAgainAt = 0;
  done = 0;
  /** When the first page that was polled is due again. */
  nextDueAt: EpochMs = Number.POSITIVE_INFINITY;

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#batch = new SettlementBatch(visit);
    this.#announced = visit.plan === undefined ? visit.ports.urls.counts().pending : 0;
    this.#prior = readPrior(visit.ports.memory);
    this.#hazardPerSecond = readHazard(visit.ports.memory);
  }

  /**
   * Takes what was found of a page. Rejects if earlier results could not be made durable.
   *
   * @param isAsked - whether a request was made, or it came in a package
   */
  async add(url: TrackedUrl, finding: PageFinding, isAsked: boolean): Promise<void> {
    const now = Math.max(Math.floor(this.#visit.ports.timing.now() / 1000), this.#visit.since);
    const mayVanish = finding.kind === "gone" || finding.kind === "alias" || finding.kind === "unwanted";
    const isKept = url.held !== undefined || (mayVanish && this.#visit.ports.bodies.mayHold(url.path));
    const judged = judgePage(url, finding, now, isKept);
    const { plan } = this.#visit;
    const judgement = plan?.isStart?.(url) === true ? dueAgain(judged, now, plan.followsLinks === true) : judged;
    this.#count(url, judgement, isAsked);
    this.#report(url, finding, judgement);
    if (judgement.hasChanged !== undefined && isEvidence(url, judgement)) plan?.observe?.(url, judgement.hasChanged);
    this.done++;
    this.#reportProgress();
    await this.#batch.add(this.#plan(judgement, finding, now));
  }

  /** Adds the links of a page. */
  link(found: readonly FoundUrl[]): void {
    this.#batch.link(found);
  }

  /** Whether a result of a path was added and is not durable yet. */
  holds(path: string): boolean {
    return this.#batch.holds(path);
  }

  /** Makes everything durable, also what others add meanwhile. */
  async finish(): Promise<void> {
    do await this.#batch.finish();
    while (!this.#batch.isEmpty);
  }

  noteDue(at: EpochMs | undefined): void {
    if (at !== undefined && at < this.nextDueAt) this.nextDueAt = at;
  }

  /** Adds to a polled page how it changed, and what its planner keeps of it. */
  #plan({ settlement, hasChanged }: Judgement, finding: PageFinding, now: EpochSeconds): Settlement {
    if (settlement.kind !== "answered" || settlement.url.announced !== undefined) return settlement;
    const { planner, tally } = this.#visit;
    const { url } = settlement;
    const served = "validators" in finding ? modifiedAtOf(finding.validators, now) : undefined;
    const modifiedAt = served ?? (this.#visit.plan?.trust === "trusted" ? timeOfLastmod(url.lastmod) : undefined);
    const seen = { now, hasChanged: hasChanged === true, modifiedAt };
    const isObserved = hasChanged !== undefined && !url.isUnconfirmed;
    if (isObserved && url.held !== undefined && now > (url.askedAt ?? now)) {
      tally.polls.polled++;
      tally.polls.seconds += now - (url.askedAt ?? now);
      if (hasChanged) tally.polls.changed++;
    }
    const history = isObserved ? historyAfter(url, seen, this.#hazardPerSecond) : url.history;
    const interval = hasChanged === undefined ? undefined : intervalAfter(planner, url, seen);
    const rate = (): number => rateOf(readHistory(history), this.#prior);
    this.noteDue(dueAfterAnswer(planner, now, rate, interval ?? url.interval));
    return { ...settlement, history, ...(interval === undefined ? {} : { interval }) };
  }

  #count({ held }: TrackedUrl, { outcome, settlement }: Judgement, isAsked: boolean): void {
    const { tally } = this.#visit;
    if (outcome === "created") tally.created++;
    if (outcome === "updated") tally.updated++;
    if (outcome === "differs") tally.differing++;
    if (outcome === "failed") tally.failed++;
    if (settlement.kind === "removed" && held !== undefined) tally.deleted++;
    const isHeld = (settlement.kind === "answered" && settlement.page !== undefined) || held !== undefined;
    if (isAsked && isHeld && settlement.kind !== "removed" && outcome !== "unchanged") tally.askedAndHeld++;
  }

  #report({ path }: TrackedUrl, finding: PageFinding, { outcome, message }: Judgement): void {
    const site = this.#visit.origin;
    if (finding.kind === "trouble" && finding.trouble === "mirror")
      this.#visit.report({ event: "item-error", site, code: "mirror-collision", message: finding.message, path });
    if (outcome === undefined || outcome === "unchanged") return;
    const all = "usage" in finding ? finding.usage?.all : undefined;
    const usage = all === noUsage ? undefined : all;
    this.#visit.report({ event: "page", site, path, outcome, ...omitUndefined({ message, usage }) });
  }

  #reportProgress(): void {
    // A turn among those of many sites: who gives the turns says how far the crawl is.
    if (this.#visit.plan?.takeLinks !== undefined) return;
    const now = this.#visit.ports.timing.now();
    if (now - this.#reportedAt < progressEveryMs && this.done !== this.#announced) return;
    this.#reportedAt = now;
    // How many there are, links tell only at the end.
    const total = Math.max(this.done, this.#visit.plan === undefined ? this.#announced : this.#countKnown(now));
    this.#visit.report({ event: "progress", site: this.#visit.origin, phase: "pages", done: this.done, total });
  }

  // To count millions takes longer than a report is worth.
  #countKnown(now: number): number {
    if (now < this.#countAgainAt) return this.#known;
    const { urls, timing } = this.#visit.ports;
    this.#known = urls.counts().known;
    const countedAt = timing.now();
    this.#countAgainAt = countedAt + (countedAt - now) * countingShare;
    return this.#known;
  }
}
