import type { EpochMs, EpochSeconds, TargetChoice, TargetSettlement, TrackedUrl } from "../../../core/index.ts";
import { robotsAllow } from "../../../formats/robots/index.ts";
import { LinkFollower } from "../discovery/link-follower.ts";
import type { TargetVisit } from "../discovery/target-visit.ts";
import type { Postponed } from "../politeness/patient-request.ts";
import { maxTroublesInARow } from "../politeness/patient-request.ts";
import { rateOf } from "../revisit/change-rate.ts";
import { isTimeUp } from "../visit/crawl-visit.ts";
import { isCancelled, throwIfAborted, warn } from "../visit/reading-visit.ts";
import { readSharedTags, SharedTags } from "../visit/shared-tags.ts";
import { isAway, maxAway, reservedFor } from "./due-work.ts";
import { OrderedTargets } from "./ordered-targets.ts";
import { isBrokenOff } from "./page-request.ts";
import { Permits } from "./permits.ts";
import { dueAfterAnswer, intervalAfter } from "./poll-chooser.ts";
import { choosePolls, historyAfter, modifiedAtOf, readHazard, readHistory, readPrior } from "./poll-planning.ts";
import { TargetBatch } from "./target-batch.ts";
import { judgeTarget, type TargetFinding, type TargetJudgement } from "./target-judgement.ts";
import { askForTarget, findingOf, type ReceivedPage, receivePage, type TargetAnswer } from "./target-request.ts";

const targetsAtATime = 1000;
const progressEveryMs = 250;
/** Pages that were answered for by way of others are remembered, so that they are not asked for once more. */
const maxAnsweredElsewhere = 100_000;
/** Counting what is known takes at most one part in so many of the time. */
const countingShare = 100;

/** Targets of a kind, read from the store a part at a time. */
function* takeTargets(visit: TargetVisit, choice: TargetChoice): Generator<TrackedUrl, void, void> {
  for (let after = 0; ; ) {
    const targets = visit.ports.targets.take(choice, visit.since, after, targetsAtATime);
    yield* targets;
    const last = targets.at(-1);
    if (last === undefined || targets.length < targetsAtATime) return;
    after = last.id;
  }
}

/** Of targets that something hints at, those that lists name no more and those that were refused or missing when they were asked for. */
function* unsettled(hinted: Iterable<TrackedUrl>): Generator<TrackedUrl, void, void> {
  for (const target of hinted) if (target.lastmod === undefined || target.postponed !== undefined) yield target;
}

/**
 * Whether an answer says something of a list's `lastmod`: not of what is asked for out of turn, nor of a page that is gone, or
 * whose body another source brought.
 */
function isEvidence({ held, fullAt, isUnconfirmed }: TrackedUrl, { settlement }: TargetJudgement): boolean {
  return held !== undefined && fullAt !== undefined && !isUnconfirmed && settlement.kind === "answered";
}

/** Asks for targets, some at a time, and settles what comes. */
class TargetWork {
  readonly #visit: TargetVisit;
  readonly #batch: TargetBatch;
  /** Who asks the server holds one, also while it is waited for a server in trouble. */
  readonly #permits: Permits;
  readonly #links: LinkFollower;
  readonly #heldAtFirst: number;
  readonly #createdAtFirst: number;
  readonly #prior: ReturnType<typeof readPrior>;
  readonly #hazardPerSecond: number;
  readonly #tags: SharedTags;
  readonly #answeredElsewhere = new Set<string>();
  /** Pages that are being asked for and are not held. */
  #newUnderWay = 0;
  /** Requests of the budget that others will need. */
  #reserved = 0;
  #done = 0;
  #reportedAt = 0;
  #known = 0;
  #countAgainAt = 0;
  #failed = false;
  /** When the first page that this visit looked at is due again. */
  nextDueAt: EpochMs = Number.POSITIVE_INFINITY;
  /** Set once the site wants to be left alone for longer than we wait. */
  postponed: Postponed | undefined;

  constructor(visit: TargetVisit) {
    this.#visit = visit;
    this.#batch = new TargetBatch(visit);
    this.#permits = new Permits(Math.max(1, visit.concurrency));
    this.#links = new LinkFollower(visit);
    this.#tags = new SharedTags(readSharedTags(visit.ports.memory));
    this.#heldAtFirst = visit.ports.targets.counts().held;
    this.#createdAtFirst = visit.tally.created;
    this.#prior = readPrior(visit.ports.memory);
    this.#hazardPerSecond = readHazard(visit.ports.memory);
  }

  async run(): Promise<void> {
    const { plan, ports, budget, isPlanned, since } = this.#visit;
    // A few of them one after the other are taken for a site in trouble, and one can ask for a long rest: they come last.
    const away = ports.targets.takeAway(since, maxAway);
    this.#reserved = reservedFor(away.length, budget);
    // Pages that nobody has yet come first: they are worth more than a fresher copy.
    await this.#askForNew();
    await this.#ask(this.#targets("doubted"));
    // Whatever the plan or a list says of them: it was said of another time.
    await this.#ask(this.#targets("unconfirmed"));
    const isBounded = isPlanned || Number.isFinite(budget);
    // A moved lastmod is the best sign of a change that there is, until it proves to be none.
    const isBelieved = plan.trust !== undefined && plan.trust !== "false-alarms";
    if (isBounded) {
      const hinted = this.#targets("hinted");
      await this.#ask(isBelieved ? hinted : unsettled(hinted));
    }
    if (plan.asks === "moved") {
      const isDoubtful = isBounded && plan.trust === "false-alarms";
      await this.#ask(isDoubtful ? await this.#choose("moved") : this.#targets("moved"));
      await this.#ask(ports.targets.sample(plan.sampled, this.#visit.since).values());
    } else {
      await this.#ask(isBounded ? await this.#choose("known") : this.#targets("known"));
    }
    await this.#askForNew();
    this.#reserved = 0;
    await this.#ask(away.values());
    await this.#askForNew();
    if (this.#tags.found.length > 0) ports.targets.forgetTags(this.#tags.found);
    this.#tags.remember(ports.memory);
    plan.conclude?.();
  }

  /** Targets of a kind but those that have a turn of their own, and those for which there is no room. */
  *#targets(choice: TargetChoice): Generator<TrackedUrl, void, void> {
    for (const target of takeTargets(this.#visit, choice))
      if (!isAway(target) && !this.#isOneTooMany(target)) yield target;
  }

  /** Whether a page would be kept that never was, though there are as many as are to be. */
  #isOneTooMany({ held, postponed, askedAt }: TrackedUrl): boolean {
    return held === undefined && (postponed !== undefined || askedAt === undefined) && this.#isFull();
  }

  async #choose(choice: TargetChoice): Promise<Iterator<TrackedUrl>> {
    const chosen = await choosePolls(this.#visit, () => this.#targets(choice));
    this.#noteDue(chosen.nextDueAt);
    return chosen.targets;
  }

  #noteDue(at: EpochMs | undefined): void {
    if (at !== undefined && at < this.nextDueAt) this.nextDueAt = at;
  }

  /** Asks for what was never asked for, and for what that leads to, until nothing new is found. */
  async #askForNew(): Promise<void> {
    const { order } = this.#visit;
    if (order === "partial" || order === "random") await this.#askInOrder(order === "partial" ? "ranked" : "random");
    for (let before = -1; this.#done !== before && this.#mayGoOn() && !this.#isFull(); ) {
      before = this.#done;
      await this.#ask(this.#targets("new"), () => this.#isFull());
    }
  }

  async #askInOrder(choice: "ranked" | "random"): Promise<void> {
    const ordered = new OrderedTargets(this.#visit, this.#batch, choice);
    for (let before = -1; this.#done !== before && this.#mayGoOn() && !this.#isFull(); ) {
      before = this.#done;
      await this.#run(
        () => (this.#mayGoOn() && !this.#isFull() ? ordered.next() : undefined),
        (target) => ordered.end(target),
      );
    }
  }

  async #ask(targets: Iterator<TrackedUrl>, isEnough: () => boolean = () => false): Promise<void> {
    const next = (): TrackedUrl | undefined => {
      if (!this.#mayGoOn() || isEnough()) return undefined;
      const item = targets.next();
      return item.done === true ? undefined : item.value;
    };
    await this.#run(next);
  }

  async #run(
    next: () => TrackedUrl | undefined | Promise<TrackedUrl | undefined>,
    end: (target: TrackedUrl) => void = () => undefined,
  ): Promise<void> {
    // One more than may ask at a time: while it keeps its page, the server answers the next one.
    const runners = Array.from({ length: Math.max(1, this.#visit.concurrency) + 1 }, async () => {
      try {
        for (;;) {
          const given = next();
          const target = given instanceof Promise ? await given : given;
          // While it waited, others may have asked for the last pages that may be asked for.
          if (target === undefined) return;
          if (!this.#mayGoOn()) return end(target);
          await this.#treat(target).finally(() => end(target));
        }
      } catch (error) {
        this.#failed = true;
        throw error;
      }
    });
    const ends = await Promise.allSettled(runners);
    await this.#batch.finish();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  #mayGoOn(): boolean {
    const { budget, tally } = this.#visit;
    if (this.#isOver()) return false;
    return tally.pageRequests + tally.pagesUnderWay < budget - this.#reserved;
  }

  #isOver(): boolean {
    if (this.#failed || this.postponed !== undefined || isCancelled(this.#visit)) return true;
    if (isTimeUp(this.#visit)) return true;
    return this.#visit.tally.troublesInARow >= maxTroublesInARow;
  }

  #isFull(): boolean {
    const created = this.#visit.tally.created - this.#createdAtFirst;
    return this.#heldAtFirst + created + this.#newUnderWay >= this.#visit.maxPages;
  }

  async #treat(target: TrackedUrl): Promise<void> {
    if (!robotsAllow(this.#visit.robots, this.#visit.agent, target.path)) {
      const finding = { kind: "trouble", trouble: "disallowed", message: "robots.txt does not allow it" } as const;
      return this.#settle(target, finding);
    }
    if (this.#answeredElsewhere.has(target.path)) return;
    if (this.#isOneTooMany(target)) return;
    // It counts until it is counted as a page that was created.
    const isNew = target.held === undefined ? 1 : 0;
    this.#newUnderWay += isNew;
    await this.#askAndTake(target).finally(() => {
      this.#newUnderWay -= isNew;
    });
  }

  async #askAndTake(target: TrackedUrl): Promise<void> {
    const { tally } = this.#visit;
    tally.pagesUnderWay++;
    using answer = await this.#askOne(target).finally(() => {
      tally.pagesUnderWay--;
    });
    if (answer !== undefined) await this.#take(target, answer);
  }

  async #take(target: TrackedUrl, answer: TargetAnswer): Promise<void> {
    const { tally } = this.#visit;
    const { outcome } = answer;
    if (outcome.kind === "postponed") {
      this.postponed = outcome;
      return;
    }
    if ((isCancelled(this.#visit) && outcome.kind !== "fetched") || isBrokenOff(outcome)) return;
    // The next request goes out before this page is hashed and kept, and the server works meanwhile.
    await this.#visit.ports.requests.sent?.();
    if (target.held !== undefined) tally.askedAndHeld++;
    if (outcome.kind !== "fetched") {
      const { searchable } = answer;
      if (searchable !== undefined)
        this.#batch.link(this.#links.find(target, target.path, searchable, { contentType: target.held?.mediaType }));
      return this.#settle(target, findingOf(outcome));
    }
    const { finding: found, received } = await receivePage(this.#visit, target, answer, outcome);
    const finding = found.kind === "body" && received !== undefined ? this.#judgeTags(found, received) : found;
    if (received?.searchable !== undefined) {
      const { page, searchable, answer: head } = received;
      this.#batch.link(this.#links.find(target, page.path, searchable, head));
    }
    if (finding.kind !== "body" || received?.page.path === target.path) return this.#settle(target, finding);
    return this.#settleElsewhere(target, received?.page.path ?? target.path, finding);
  }

  #judgeTags(finding: TargetFinding & { kind: "body" }, { page }: ReceivedPage): TargetFinding {
    return { ...finding, validators: this.#tags.judge(finding.validators, page.digest) };
  }

  // A redirect: the body belongs to the URL that gave it, and this one only leads there.
  async #settleElsewhere(target: TrackedUrl, path: string, finding: TargetFinding): Promise<void> {
    const { targets } = this.#visit.ports;
    if (!this.#answeredElsewhere.has(path)) {
      if (this.#answeredElsewhere.size >= maxAnsweredElsewhere) this.#answeredElsewhere.clear();
      this.#answeredElsewhere.add(path);
      targets.note([{ path, depth: target.depth, lastmod: undefined }], 0);
      const other = targets.find(path);
      const isAnswered = (other?.askedAt ?? 0) >= this.#visit.since || this.#batch.holds(path);
      if (other !== undefined && !isAnswered) await this.#settle(other, finding);
    }
    await this.#settle(target, { kind: "alias" });
  }

  async #askOne(target: TrackedUrl): Promise<TargetAnswer | undefined> {
    await this.#permits.acquire();
    try {
      // What happened while it waited may have ended the work.
      return this.#isOver() ? undefined : await askForTarget(this.#visit, target);
    } finally {
      this.#permits.release();
    }
  }

  async #settle(target: TrackedUrl, finding: TargetFinding): Promise<void> {
    const now = Math.max(Math.floor(this.#visit.ports.timing.now() / 1000), this.#visit.since);
    const mayVanish = finding.kind === "gone" || finding.kind === "alias";
    const isKept = target.held !== undefined || (mayVanish && this.#visit.ports.bodies.mayHold(target.path));
    const draft = judgeTarget(target, finding, now, target.history, isKept);
    const history =
      draft.hasChanged === undefined || target.isUnconfirmed
        ? target.history
        : historyAfter(target, finding, now, draft.hasChanged, this.#hazardPerSecond);
    const judgement = history === target.history ? draft : judgeTarget(target, finding, now, history, isKept);
    this.#count(target, judgement);
    const settlement = this.#pace(judgement, finding, now);
    if (judgement.hasChanged !== undefined && isEvidence(target, judgement))
      this.#visit.plan.observe?.(target, judgement.hasChanged);
    this.#report(target, finding, judgement);
    this.#done++;
    this.#reportProgress();
    await this.#batch.add(settlement);
  }

  /** Notes when a target is due again, and what its planner keeps of it. */
  #pace({ settlement, hasChanged }: TargetJudgement, finding: TargetFinding, now: EpochSeconds): TargetSettlement {
    if (settlement.kind !== "answered") return settlement;
    const { planner } = this.#visit;
    const { target, history } = settlement;
    const seen = { now, hasChanged: hasChanged === true, modifiedAt: modifiedAtOf(finding, now) };
    const interval = hasChanged === undefined ? undefined : intervalAfter(planner, target, seen);
    const rate = (): number => rateOf(readHistory(history), this.#prior);
    this.#noteDue(dueAfterAnswer(planner, now, rate, interval ?? target.interval));
    return interval === undefined ? settlement : { ...settlement, interval };
  }

  #count(target: TrackedUrl, { outcome }: TargetJudgement): void {
    const { tally } = this.#visit;
    if (outcome === "created") {
      tally.created++;
      tally.askedAndHeld++;
    }
    if (outcome === "updated") tally.updated++;
    if (outcome === "failed") tally.failed++;
    if (outcome === "unchanged") tally.askedAndHeld--;
    if (outcome === "gone" && target.held !== undefined) {
      tally.deleted++;
      tally.askedAndHeld--;
    }
  }

  #report(target: TrackedUrl, finding: TargetFinding, { outcome, message }: TargetJudgement): void {
    const { path } = target;
    const site = this.#visit.origin;
    if (finding.kind === "trouble" && finding.trouble === "mirror")
      this.#visit.report({ event: "item-error", site, code: "mirror-collision", message: finding.message, path });
    if (outcome !== undefined && outcome !== "unchanged")
      this.#visit.report({ event: "page", site, path, outcome, ...(message === undefined ? {} : { message }) });
  }

  #reportProgress(): void {
    const now = this.#visit.ports.timing.now();
    if (now - this.#reportedAt < progressEveryMs) return;
    this.#reportedAt = now;
    this.#visit.report({
      event: "progress",
      site: this.#visit.origin,
      phase: "pages",
      done: this.#done,
      // How many there are, links tell only at the end.
      total: Math.max(this.#done, this.#countKnown(now)),
    });
  }

  // To count millions of them takes longer than a report is worth.
  #countKnown(now: number): number {
    if (now < this.#countAgainAt) return this.#known;
    const { targets, timing } = this.#visit.ports;
    this.#known = targets.counts().known;
    const countedAt = timing.now();
    this.#countAgainAt = countedAt + (countedAt - now) * countingShare;
    return this.#known;
  }
}

/**
 * Asks for the pages of a site that does not publish its changes, by its plan, each at most once a visit.
 *
 * @returns when the first of them is due again; undefined if that was not planned, as where a list tells what changed
 */
export async function doTargetWork(visit: TargetVisit): Promise<EpochMs | undefined> {
  const work = new TargetWork(visit);
  await work.run();
  throwIfAborted(visit);
  if (work.postponed !== undefined)
    warn(visit, "site-postponed", `${work.postponed.message}; the rest is left for the next visit.`);
  if (visit.tally.troublesInARow >= maxTroublesInARow)
    warn(
      visit,
      "site-in-trouble",
      `${maxTroublesInARow} page requests in a row failed; the rest is left for the next visit.`,
    );
  return visit.plan.asks === "all" && Number.isFinite(work.nextDueAt) ? work.nextDueAt : undefined;
}
