import type { EpochMs, LookBounds, Timing, VisitPlan } from "../../core/index.ts";
import { planNextVisit, unvisited, type VisitEnd } from "../engine/visit-plan.ts";
import type { SiteScheduler } from "./site-scheduler.ts";

/** What is remembered of when sites are visited. */
export interface VisitPlans {
  /** Undefined of a site that has none. */
  read(site: string): VisitPlan | undefined;
  write(site: string, plan: VisitPlan): void;
}

/** What following many sites needs. */
export interface FollowPorts {
  readonly timing: Timing;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly scheduler: SiteScheduler;
  readonly plans: VisitPlans;
  boundsOf(site: string): Partial<LookBounds>;
  /** Whether a site has its turn sooner if more of its pages wait. */
  isByLength(site: string): boolean;
  /**
   * Visits a site; what it rejects with ends all.
   *
   * @param mayGoOn - asked before the first page and between two; once it says no, the visit is to end in order
   */
  visit(site: string, mayGoOn: () => boolean): Promise<VisitEnd>;
  /** Is told of each visit once it ended. */
  onVisit?(site: string, end: VisitEnd, plan: VisitPlan): void;
}

/** How many sites are followed. */
export interface FollowOptions {
  /** Visits that may be open at once; many of them wait while their sites rest. */
  readonly visitsAtOnce: number;
  /** Whether sites are visited again and again; else each once. */
  readonly isForever: boolean;
}

/** A visit that has fetched pages for so long ends in order where other sites wait for it; what is left comes at its next turn. */
const sliceMs = 5 * 60_000;
const longestWaitMs = 24 * 3_600_000;
const againMs = 1000;
/** Why a wait was ended; without it an error is made each time. */
const noticed = "something is to be looked at";

/**
 * Visits sites as the scheduler gives them out, some at a time, and plans when each is visited next. Whatever one of them
 * does, it has one place among those that are open, and for no longer than its slice where others wait.
 */
export class SiteFollower {
  readonly #ports: FollowPorts;
  readonly #options: FollowOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  #wake = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #isStopping = false;

  constructor(ports: FollowPorts, options: FollowOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** Sites that are being visited. */
  get visiting(): IterableIterator<string> {
    return this.#underWay.keys();
  }

  /** To be called after the scheduler was changed by others. */
  notice(): void {
    this.#wake.abort(noticed);
  }

  /**
   * Follows the sites of the scheduler: for ever, or until each was visited once.
   *
   * @param signal - ends it in order, after the pages that are under way
   * @throws what a visit rejects with, after the others have ended
   */
  async run(signal: AbortSignal | undefined): Promise<void> {
    const stop = (): void => {
      this.#isStopping = true;
      this.notice();
    };
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      while (!this.#isOver()) {
        this.#wake = new AbortController();
        this.#begin();
        if (!this.#isOver()) await this.#wait();
      }
    } finally {
      this.#isStopping = true;
      signal?.removeEventListener("abort", stop);
      await Promise.all(this.#underWay.values());
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #isOver(): boolean {
    if (this.#isStopping || this.#failure !== undefined) return true;
    return !this.#options.isForever && this.#ports.scheduler.size === 0 && this.#underWay.size === 0;
  }

  #begin(): void {
    const { scheduler, timing } = this.#ports;
    while (this.#underWay.size < this.#options.visitsAtOnce) {
      const site = scheduler.next(timing.now());
      if (site === undefined) return;
      // It was taken out and put in again while it is visited.
      if (this.#underWay.has(site)) scheduler.giveBack(site, timing.now() + againMs);
      else this.#underWay.set(site, this.#visit(site));
    }
  }

  async #wait(): Promise<void> {
    const { scheduler, timing } = this.#ports;
    const isFull = this.#underWay.size >= this.#options.visitsAtOnce;
    const waitMs = isFull ? longestWaitMs : Math.min(longestWaitMs, Math.max(0, scheduler.nextAt - timing.now()));
    if (!this.#wake.signal.aborted) await timing.delay(waitMs, this.#wake.signal);
  }

  async #visit(site: string): Promise<void> {
    const { scheduler, timing } = this.#ports;
    const beganAt = timing.now();
    // When the first page was to be asked for. Lists take as long as they take: would they count, a visit with long ones
    // was over before its first page, again and again.
    let pagesFrom: EpochMs | undefined;
    const mayGoOn = (): boolean => {
      pagesFrom ??= timing.now();
      return this.#mayGoOn(site, pagesFrom);
    };
    try {
      const end = await this.#ports.visit(site, mayGoOn);
      const at = this.#conclude(site, end, beganAt);
      if (this.#options.isForever) this.#giveBack(site, at, end);
      else scheduler.remove(site);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#underWay.delete(site);
      this.notice();
    }
  }

  #giveBack(site: string, at: EpochMs, end: VisitEnd): void {
    const { scheduler } = this.#ports;
    if (!this.#ports.isByLength(site)) scheduler.setBacklog(site, 0);
    else if (end.kind === "done") scheduler.setBacklog(site, end.result.summary.pending);
    scheduler.giveBack(site, at);
  }

  #conclude(site: string, end: VisitEnd, beganAt: EpochMs): EpochMs {
    const { plans, timing, random } = this.#ports;
    const planning = { bounds: this.#ports.boundsOf(site), beganAt, now: timing.now(), random: random() };
    const plan = planNextVisit(plans.read(site) ?? unvisited, end, planning);
    plans.write(site, plan);
    this.#ports.onVisit?.(site, end, plan);
    return plan.at;
  }

  #mayGoOn(site: string, pagesFrom: EpochMs): boolean {
    if (this.#isStopping || this.#failure !== undefined) return false;
    const { scheduler, timing } = this.#ports;
    const entry = scheduler.entryOf(site);
    if (entry === undefined || entry.isPaused) return false;
    if (!this.#options.isForever) return true;
    const now = timing.now();
    const isFull = this.#underWay.size >= this.#options.visitsAtOnce;
    return !(isFull && now - pagesFrom >= sliceMs && scheduler.nextAt <= now);
  }
}
