import { noticedCurve } from "../../src/crawler/engine/revisit/optimum.ts";
import { planByPrice } from "../../src/crawler/engine/revisit/price-search.ts";
import {
  type KnownPages,
  scheduleVisits,
  type VisitPlan,
  type VisitPlanner,
  type VisitWindow,
} from "../../src/crawler/engine/revisit/visit-schedule.ts";

/**
 * LambdaCrawl where some or all pages tell of each change (`signals` with a recall of 1 and none false): such a page is
 * polled after a share of its notices, evenly, the others at their rates. Without such pages it is the policy "lambda".
 *
 * @see Kolobov and others, NeurIPS 2019
 */
export class NoticedPlanner implements VisitPlanner {
  readonly name = "lambda, notices";
  /** By page: when the notice came that no visit answered; and how far the next visit is earned. */
  readonly #noticedAt = new Map<number, number>();
  readonly #earned = new Map<number, number>();

  signal(page: number, atSeconds: number): void {
    if (!this.#noticedAt.has(page)) this.#noticedAt.set(page, atSeconds);
  }

  plan(pages: KnownPages, window: VisitWindow): VisitPlan {
    const { polledAtSeconds, ratesPerSecond, signals } = pages;
    const isNoticed = Uint8Array.from({ length: polledAtSeconds.length }, (_, page) =>
      signals?.recalls[page] === 1 && signals.falsePerSecond[page] === 0 ? 1 : 0,
    );
    const { pollsPerSecond } = planByPrice(noticedCurve(isNoticed), pages, window.visits / window.seconds);
    const due = polledAtSeconds.map((at, page) => {
      if (Number.isNaN(at)) return Number.NEGATIVE_INFINITY;
      return isNoticed[page] ? Number.POSITIVE_INFINITY : at + 1 / (pollsPerSecond[page] ?? 0);
    });
    for (const [page, at] of this.#noticedAt) {
      if (!isNoticed[page] || !((polledAtSeconds[page] ?? Number.NaN) < at)) {
        this.#noticedAt.delete(page);
        continue;
      }
      const share = (pollsPerSecond[page] ?? 0) / (ratesPerSecond[page] ?? 1);
      const earned = (this.#earned.get(page) ?? 0.5) + share;
      if (earned >= 1 - 1e-9) due[page] = at;
      else this.#noticedAt.delete(page);
      this.#earned.set(page, earned >= 1 - 1e-9 ? earned - 1 : earned);
    }
    const next = (page: number, now: number): number =>
      isNoticed[page] ? Number.POSITIVE_INFINITY : now + 1 / (pollsPerSecond[page] ?? 0);
    const plan = scheduleVisits(pages, window, { due, next, isEager: true });
    for (const page of plan.pages) this.#noticedAt.delete(page);
    // What found no room is earned already, and goes first the next time.
    for (const page of this.#noticedAt.keys()) this.#earned.set(page, 1);
    return plan;
  }
}
