import type { EpochMs, SiteClockState } from "../../../core/index.ts";
import type { Pace } from "./politeness-options.ts";

/** The numbers of a {@link SpacingClock}. */
type SpacingState = Pick<SiteClockState, "pages" | "answeredAt" | "notBefore">;

/**
 * Spaces the requests to a site or an address: `k` of them, then a rest of `w`, and a gap after each if there is a
 * Crawl-delay. Sites that share an address share its clock.
 */
export class SpacingClock {
  #pages: number;
  #answeredAt: EpochMs;
  #notBefore: EpochMs;
  #underWay = 0;
  /** Length of the rest that begins once nothing is under way; undefined if none is due. */
  #restDueMs: number | undefined;

  constructor(state: SpacingState = { pages: 0, answeredAt: 0, notBefore: 0 }) {
    this.#pages = state.pages;
    this.#answeredAt = state.answeredAt;
    this.#notBefore = state.notBefore;
  }

  get underWay(): number {
    return this.#underWay;
  }

  get isUsed(): boolean {
    return this.#underWay > 0;
  }

  /** When the last answer came; 0 if none ever did. */
  get answeredAt(): EpochMs {
    return this.#answeredAt;
  }

  /** When the next request may begin, not counting those under way. */
  get restsUntil(): EpochMs {
    return this.#notBefore;
  }

  get state(): SpacingState {
    return { pages: this.#pages, answeredAt: this.#answeredAt, notBefore: this.#notBefore };
  }

  /** When the next request may begin; Infinity while an answer has to come first. */
  notBefore(now: EpochMs, pace: Pace): EpochMs {
    if (this.#underWay >= pace.maxUnderWay) return Number.POSITIVE_INFINITY;
    if (this.#restDueMs !== undefined) return Number.POSITIVE_INFINITY;
    // The system clock was set back.
    if (now < this.#answeredAt) {
      this.#notBefore = now + this.#notBefore - this.#answeredAt;
      this.#answeredAt = now;
    }
    return this.#notBefore;
  }

  /** Notes that a request begins. */
  began(now: EpochMs, pace: Pace): void {
    // A pause as long as a rest counts as one.
    if (this.#underWay === 0 && now - this.#answeredAt >= pace.restMs) this.#pages = 0;
    this.#underWay++;
    this.#count(1, pace);
  }

  /**
   * Notes that a request has ended.
   *
   * @param requests - how many were sent, including redirects
   */
  answered(requests: number, now: EpochMs, pace: Pace): void {
    this.#underWay--;
    this.#count(requests - 1, pace);
    if (requests > 0) {
      this.#answeredAt = now;
      this.#notBefore = now + pace.gapMs * requests;
    }
    if (this.#restDueMs === undefined || this.#underWay > 0) return;
    this.#notBefore = Math.max(this.#notBefore, now + this.#restDueMs);
    this.#restDueMs = undefined;
    this.#pages = 0;
  }

  /** Applies a longer gap to the last request too. */
  slowDown(pace: Pace): void {
    if (this.#answeredAt > 0) this.#notBefore = Math.max(this.#notBefore, this.#answeredAt + pace.gapMs);
  }

  #count(requests: number, pace: Pace): void {
    this.#pages = Math.max(0, this.#pages + requests);
    if (this.#pages >= pace.pagesBeforeRest) this.#restDueMs = Math.max(this.#restDueMs ?? 0, pace.restMs);
  }
}
