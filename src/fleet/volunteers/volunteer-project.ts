import { randomBytes } from "node:crypto";
import type { EpochMs } from "../../core/index.ts";
import { formatWorkUnit, maxResultBytes, parseWorkResult, type WorkResult } from "../../formats/work-unit/index.ts";
import {
  type Accepted,
  acceptedOf,
  allowanceIn,
  isUnreachable,
  leftOf,
  pathsOf,
  samplePages,
  unansweredIn,
} from "./accepted-results.ts";
import { checkResult } from "./check-result.ts";
import { GraphIntake } from "./graph-intake.ts";
import { compareResults, isAnswered, isMost, judgeResult } from "./judgement.ts";
import { KnownAnswers } from "./known-answers.ts";
import { LeftPages } from "./left-pages.ts";
import { mergeResults, type Report } from "./merge-results.ts";
import {
  checkVolunteerName,
  makeUnit,
  type ProjectCounts,
  type ProjectMeans,
  type ProjectOptions,
  type ProjectSettings,
  settingsOf,
} from "./project-options.ts";
import { checkProbability, doubtfulAuditShare, isBarred, isProven, judged, knownShare } from "./reputation.ts";
import { findSecond } from "./second-copies.ts";
import type { AssignedUnit, Submission, UnitDispatcher } from "./unit-dispatcher.ts";
import { VolunteerBackoff } from "./volunteer-backoff.ts";
import { reputationIn, type StoredCopy, type StoredUnit } from "./volunteer-store.ts";

const ownVisitsAtOnce = 8;
const forgetAfterMs = 7 * 86_400_000;

/** Hands out a crawl's pages to volunteers, checks what they say, and brings into the crawl what is believed. */
export class VolunteerProject implements UnitDispatcher {
  readonly #options: ProjectSettings;
  readonly #means: ProjectMeans;
  readonly #random: () => number;
  readonly #known = new KnownAnswers();
  readonly #intake: GraphIntake;
  /** Units whose sites this run got from the crawl, and has to give back. */
  readonly #taken = new Map<number, string>();
  /** Pages of units that wait for a check. */
  readonly #held = new Set<string>();
  readonly #judging = new Set<number>();
  readonly #left = new LeftPages();
  readonly #backoff = new VolunteerBackoff();
  #forgottenAt = 0;
  #counts = { assigned: 0, accepted: 0, refused: 0, ownPages: 0 };

  constructor(options: ProjectOptions, means: ProjectMeans) {
    this.#options = settingsOf(options);
    this.#means = means;
    this.#random = means.random ?? Math.random;
    this.#intake = new GraphIntake(means.store, means.work, this.#options.revisitMs);
    for (const unit of means.store.unitsIn("held", Number.MAX_SAFE_INTEGER, 1_000_000)) this.#hold(unit);
    // What a kill left between the acceptance of a result and what follows from it.
    for (const unit of means.store.openUnits())
      if (acceptedOf(means.store, unit).length >= (unit.stage === "out" ? 1 : 2) && unit.stage !== "judge")
        this.#advance(unit, means.clock());
  }

  get counts(): ProjectCounts {
    const { pages, links, quarantined } = this.#intake;
    return { ...this.#counts, pages, links, quarantined };
  }

  /** Whether a page needs no visit. */
  isDone(url: string): boolean {
    return this.#held.has(url) || this.#intake.isDone(url);
  }

  register(volunteer: string, now: EpochMs): void {
    checkVolunteerName(volunteer);
    this.#means.store.addVolunteer(volunteer, now);
  }

  assign(volunteer: string, atMost: number, now: EpochMs): readonly AssignedUnit[] {
    const { store } = this.#means;
    const reputation = store.reputationOf(volunteer);
    if (reputation === undefined || isBarred(reputation) || this.#backoff.isWaiting(volunteer, now)) return [];
    const room = Math.min(atMost, this.#options.maxOut - store.countOut(volunteer));
    const assigned: AssignedUnit[] = [];
    const isGood = isProven(reputation);
    while (assigned.length < room) {
      const isTest = this.#random() < (isGood ? knownShare.proven : knownShare.new);
      const unit =
        (isTest ? this.#knownUnit(now) : undefined) ?? findSecond(store, volunteer, isGood, now) ?? this.#newUnit(now);
      if (unit === undefined) break;
      assigned.push(this.#issue(unit, volunteer, now));
    }
    return assigned;
  }

  submit(name: string, volunteer: string, content: Uint8Array, now: EpochMs): Submission {
    const verdict = this.#receive(name, volunteer, content, now);
    if (verdict === "accepted") this.#counts.accepted++;
    else this.#counts.refused++;
    return verdict;
  }

  fail(name: string, volunteer: string, now: EpochMs): void {
    const { store } = this.#means;
    const copy = store.copy(name);
    if (copy === undefined || copy.volunteer !== volunteer || copy.state !== "out") return;
    this.#loseCopy(copy, "failed", now);
  }

  /**
   * Ends what is overdue, plans revisits, and begins the project's own visits. To be called about once a second.
   *
   * @returns resolves when the visits that it began have ended
   */
  async settle(now: EpochMs): Promise<void> {
    const { store } = this.#means;
    for (const unit of store.endedUnits(now)) {
      const out = store.copiesOf(unit.id).find(({ state }) => state === "out");
      if (out !== undefined) this.#loseCopy(out, "late", now);
      // Nobody took the second copy in its time slot.
      else if (unit.stage === "second") store.setStage(unit.id, "judge", now, now);
      else this.#end(unit, pathsOf(unit), true, now);
    }
    // Where there is no more work, there are no more checks.
    for (const unit of store.unjudgedUnits(now - this.#options.holdMs))
      this.#believe(unit, acceptedOf(store, unit), undefined, now);
    this.#intake.planRevisits(now);
    if (now - this.#forgottenAt >= 3_600_000) {
      this.#forgottenAt = now;
      store.forgetCopies(now - forgetAfterMs);
    }
    const due = store.unitsIn("judge", now, ownVisitsAtOnce * 2).filter(({ id }) => !this.#judging.has(id));
    await Promise.all(due.slice(0, ownVisitsAtOnce - this.#judging.size).map((unit) => this.#judge(unit, now)));
  }

  /** Learns what pages of the project's own are. */
  async learnKnown(urls: readonly string[], now: EpochMs): Promise<void> {
    const origins = new Map<string, string[]>();
    for (const url of urls) {
      const { origin, pathname, search } = new URL(url);
      origins.set(origin, [...(origins.get(origin) ?? []), pathname + search]);
    }
    for (const [origin, paths] of origins) this.#known.learn(origin, await this.#visit(origin, paths, now));
  }

  #receive(name: string, volunteer: string, content: Uint8Array, now: EpochMs): Submission {
    const { store } = this.#means;
    const copy = store.copy(name);
    if (copy === undefined || copy.volunteer !== volunteer) return "unknown";
    if (copy.state === "late") return "late";
    if (copy.state !== "out") return "duplicate";
    if (isBarred(reputationIn(store, volunteer))) return "refused";
    const unit = store.unit(copy.unit);
    if (unit === undefined || now > copy.deadline) return "late";
    const parsed = parseWorkResult(content);
    if (!parsed.ok) return "malformed";
    const result = parsed.value;
    const { crawlDelayMs, pageLinks } = this.#options;
    const paths = pathsOf(unit);
    const wrong = checkResult(result, { ...copy, paths, crawlDelayMs, pageLinks }, now);
    if (wrong === "malformed") return "malformed";
    const known = unit.isKnown ? this.#known.judge(unit.origin, result) : "unclear";
    if (wrong !== undefined) {
      if (wrong === "impolite") this.#noteWrong(copy, now);
      this.#loseCopy(copy, "failed", now);
      return "refused";
    }
    this.#backoff.noteAccepted(volunteer);
    if (unit.isKnown && known !== "wrong") {
      store.transact(() => {
        store.setCopy(name, "in", now, undefined);
        store.dropUnit(unit.id);
      });
      this.#known.keepBusy(unit.origin, now + this.#options.restMs);
      if (known === "right") this.#noteRight(volunteer, now);
      return "accepted";
    }
    store.setCopy(name, "in", now, Buffer.from(content).toString("latin1"));
    this.#advance(unit, now);
    return "accepted";
  }

  /** Decides what follows the result of a copy. */
  #advance(unit: StoredUnit, now: EpochMs): void {
    const { store } = this.#means;
    const { restMs, slotMs, auditShare } = this.#options;
    const accepted = acceptedOf(this.#means.store, unit);
    const [first, second] = accepted;
    if (first === undefined) return;
    if (second === undefined) {
      // One word is not enough for a site to be unreachable, or for a page to be given up.
      const isGivenUp = leftOf(unit, first.result).some((path) => this.#left.isNearlyOver(unit.origin, path));
      const isChecked = first.result.robots === "unreachable" || isGivenUp;
      const probability = checkProbability(reputationIn(store, first.volunteer));
      const heldCount = store.heldBy(first.volunteer).length;
      if (!unit.isKnown && (isChecked || this.#random() < probability || heldCount * probability >= 2))
        store.setStage(unit.id, "second", now + restMs, now + restMs + slotMs);
      else if (unit.isKnown || this.#random() < auditShare) store.setStage(unit.id, "judge", now + restMs, now);
      else this.#free(unit, first, now);
      return;
    }
    if (isUnreachable(accepted)) {
      this.#end(unit, pathsOf(unit), false, now);
      return;
    }
    const { distance, allowed, pages } = compareResults(first.result, second.result, allowanceIn(store, unit));
    const isDoubtful = !first.isProven && !second.isProven;
    const isAudited = this.#random() < (isDoubtful ? doubtfulAuditShare : auditShare);
    if (pages === 0 || distance > allowed || isAudited) {
      store.setStage(unit.id, "judge", now + restMs, now);
      return;
    }
    this.#believe(unit, accepted, undefined, now);
    if (isMost(pages, unit.pages.length)) for (const { volunteer } of accepted) this.#noteRight(volunteer, now);
  }

  /** Lets the site of a unit go, whose result waits for the next check of its volunteer. */
  #free(unit: StoredUnit, { result }: Accepted, now: EpochMs): void {
    const left = leftOf(unit, result);
    this.#hold(unit);
    this.#left.note(unit.origin, left);
    this.#means.store.setStage(unit.id, "held", now, now);
    this.#release(unit, left, true, now);
  }

  #hold({ origin, pages }: StoredUnit): void {
    for (const { path } of pages) this.#held.add(origin + path);
  }

  #unhold({ origin, pages }: StoredUnit): void {
    for (const { path } of pages) this.#held.delete(origin + path);
  }

  /** Judges the results of a unit by the project's own visits. */
  async #judge(unit: StoredUnit, now: EpochMs): Promise<void> {
    this.#judging.add(unit.id);
    try {
      const accepted = acceptedOf(this.#means.store, unit);
      const [first, second] = accepted;
      if (first === undefined) return this.#end(unit, pathsOf(unit), true, now);
      const allow = allowanceIn(this.#means.store, unit);
      const differing =
        second === undefined
          ? leftOf(unit, first.result)
          : compareResults(first.result, second.result, allow).differing;
      const paths = samplePages(unit, differing, this.#options.auditPages, this.#random);
      const own = await this.#visit(unit.origin, paths, now);
      if (unit.isKnown) {
        const verdict = this.#known.judgeAgain(unit.origin, first.result, own);
        if (verdict === "wrong") this.#noteWrong(first.copy, this.#means.clock());
        return this.#end(unit, [], true, this.#means.clock());
      }
      if (isUnreachable([...accepted, { result: own }]))
        return this.#end(unit, pathsOf(unit), false, this.#means.clock());
      let verdicts = accepted.map(({ result }) => judgeResult(result, own, undefined, allow));
      if (own.robots !== "unreachable" && verdicts.includes("unclear")) {
        const again = await this.#visit(unit.origin, paths, this.#means.clock());
        verdicts = accepted.map(({ result }) => judgeResult(result, own, again, allow));
      }
      const usable = accepted.filter((_, at) => verdicts[at] !== "wrong");
      const right = usable.filter(
        ({ volunteer }) => verdicts[accepted.findIndex((one) => one.volunteer === volunteer)] === "right",
      );
      // One that nothing is known of counts only with another.
      const believed = right.length > 0 ? right : usable.length > 1 ? usable : [];
      // The site's rest begins when the visits end.
      const ended = this.#means.clock();
      // What a kill leaves of the unit is judged again, without its lies.
      for (const { copy } of accepted.filter((_, at) => verdicts[at] === "wrong")) this.#noteWrong(copy, ended);
      this.#believe(unit, believed, own, ended, own.pages.some(isAnswered) ? believed : accepted);
      for (const { volunteer } of right) this.#noteRight(volunteer, ended);
    } finally {
      this.#judging.delete(unit.id);
    }
  }

  async #visit(origin: string, paths: readonly string[], now: EpochMs): Promise<WorkResult> {
    this.#counts.ownPages += paths.length;
    return await this.#means.visit(makeUnit(this.#options, origin, paths, now));
  }

  /** @param failures - reports whose word counts for pages without an answer */
  #believe(
    unit: StoredUnit,
    reports: readonly Report[],
    own: WorkResult | undefined,
    now: EpochMs,
    failures: readonly Report[] = reports,
  ): void {
    const { onEvent } = this.#means;
    const believed = mergeResults(reports, own);
    this.#intake.take(unit, believed, now);
    const left = pathsOf(unit).filter((path) => !believed.has(path));
    const links = [...believed.values()].reduce((sum, page) => sum + page.links.length, 0);
    onEvent?.({ event: "unit-ended", site: unit.origin, pages: believed.size, links });
    if (unit.stage === "held") {
      this.#unhold(unit);
      this.#means.store.dropUnit(unit.id);
      return;
    }
    const failed = unansweredIn([...failures.map(({ result }) => result), ...(own === undefined ? [] : [own])]);
    const counted = left.filter((path) => failed.has(path));
    this.#left.note(unit.origin, counted);
    this.#end(unit, left, true, now);
  }

  /** Notes that a check found a volunteer right: results that wait for it are believed. */
  #noteRight(volunteer: string, now: EpochMs): void {
    const { store, onEvent } = this.#means;
    store.setReputation(volunteer, judged(reputationIn(store, volunteer), "right"));
    onEvent?.({ event: "volunteer-judged", volunteer, verdict: "right" });
    for (const unit of store.heldBy(volunteer)) this.#believe(unit, acceptedOf(store, unit), undefined, now);
  }

  /** Notes that a copy is a lie: results that wait for the check of its volunteer fall. A kill leaves all of that undone, or nothing. */
  #noteWrong({ name, volunteer }: StoredCopy, now: EpochMs): void {
    const { store, work, onEvent } = this.#means;
    const held = store.heldBy(volunteer);
    for (const unit of held) {
      this.#unhold(unit);
      work.again(unit.pages.map(({ path }) => unit.origin + path));
    }
    store.transact(() => {
      store.setCopy(name, "failed", now, undefined);
      store.setReputation(volunteer, judged(reputationIn(store, volunteer), "wrong"));
      for (const { id } of held) store.dropUnit(id);
      store.dropQuarantined("volunteer", volunteer);
    });
    onEvent?.({ event: "volunteer-judged", volunteer, verdict: "wrong" });
  }

  #loseCopy(copy: StoredCopy, state: "late" | "failed", now: EpochMs): void {
    const { store } = this.#means;
    store.setCopy(copy.name, state, now, undefined);
    this.#backoff.noteLoss(copy.volunteer, now);
    const unit = store.unit(copy.unit);
    if (unit === undefined) return;
    if (unit.stage === "second") store.setStage(unit.id, "judge", now + this.#options.restMs, now);
    else this.#end(unit, pathsOf(unit), true, now);
  }

  #end(unit: StoredUnit, left: readonly string[], isReachable: boolean, now: EpochMs): void {
    this.#release(unit, left, isReachable, now);
    this.#means.store.dropUnit(unit.id);
  }

  /** Gives the site of a unit back to the crawl. */
  #release(unit: StoredUnit, left: readonly string[], isReachable: boolean, now: EpochMs): void {
    const { id, origin, isKnown } = unit;
    if (isKnown) this.#known.keepBusy(origin, now + this.#options.restMs);
    const over = left.filter((path) => this.#left.isOver(origin, path));
    for (const path of over) if (this.#intake.giveUp(origin + path, now)) this.#left.forget(origin, path);
    // The pages of an earlier run are in line again.
    if (!this.#taken.delete(id)) {
      this.#means.busyUntil?.set(origin, now + this.#options.restMs);
      return;
    }
    this.#means.work.end(origin, { now, left: left.filter((path) => !over.includes(path)), isReachable });
  }

  #newUnit(now: EpochMs): StoredUnit | undefined {
    const { store, work } = this.#means;
    const next = work.next(now);
    if (next === undefined) return undefined;
    const unit = { ...next, stage: "out", isKnown: false, notBefore: now, ends: this.#endOf(now) } as const;
    const id = store.addUnit(unit);
    this.#taken.set(id, next.origin);
    return { ...unit, id };
  }

  #knownUnit(now: EpochMs): StoredUnit | undefined {
    const unit = this.#known.chooseUnit(now, this.#endOf(now), this.#random);
    return unit === undefined ? undefined : { ...unit, id: this.#means.store.addUnit(unit) };
  }

  #endOf(now: EpochMs): EpochMs {
    return now + this.#options.deadlineMs + this.#options.restMs;
  }

  #issue(unit: StoredUnit, volunteer: string, now: EpochMs): AssignedUnit {
    const { store, onEvent } = this.#means;
    const paths = pathsOf(unit);
    const text = makeUnit(this.#options, unit.origin, paths, now);
    const name = `u${unit.id}-${randomBytes(6).toString("hex")}`;
    const deadline = text.deadline * 1000;
    store.transact(() => {
      store.addCopy({ name, unit: unit.id, volunteer, nonce: text.nonce, issued: now, deadline });
      store.setStage(unit.id, unit.stage, unit.notBefore, deadline + this.#options.restMs);
    });
    this.#counts.assigned++;
    onEvent?.({ event: "unit-assigned", unit: name, volunteer, site: unit.origin });
    return { name, bytes: Buffer.from(formatWorkUnit(text)), deadline, maxResultBytes };
  }
}
