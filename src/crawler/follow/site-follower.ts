import type { EpochMs, LookBounds, Timing, VisitPlan } from "../../core/index.ts";
import type { Store } from "../../storage/index.ts";
import { planNextVisit, unvisited, type VisitEnd } from "../engine/visit-plan.ts";
import type { SiteScheduler } from "./site-scheduler.ts";

/** A visit under way, as its follower ends it. */
export interface OpenVisit {
  /** Called before the first page and between pages; once it returns false, the visit has to end in order. */
  mayGoOn(): boolean;
  /**
   * Aborted once no further request may be made: the site was paused or taken off the list, or the follower ends. The
   * reason is the time.
   */
  readonly halt: AbortSignal;
}

/** What the follower depends on, and how it follows. */
export interface FollowPorts {
  readonly timing: Timing;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly scheduler: SiteScheduler;
  /** The stored schedule of sites. */
  readonly plans: Pick<Store["plans"], "read" | "write">;
  readonly sites: {
    boundsOf(site: string): Partial<LookBounds>;
    /** Whether a site is visited sooner if more of its pages wait. */
    isByLength(site: string): boolean;
  };
  /** Most open visits; many of them wait while their sites rest. */
  readonly visitsAtOnce: number;
  /** Whether sites are visited again and again; if false, each is visited once, or until a visit to it is not cut short. */
  readonly isForever: boolean;
  /** Visits a site; a rejection ends the follower. */
  visit(site: string, visit: OpenVisit): Promise<VisitEnd>;
  /** Called after each visit. */
  onVisit?(site: string, end: VisitEnd, plan: VisitPlan): void;
}

/** Time slice: a visit that fetched pages for so long ends if other sites wait; the rest follows at its next visit. */
const sliceMs = 5 * 60_000;
/** Timers do not see that the clock was set, or that the machine slept. */
const longestWaitMs = 10 * 60_000;
const againMs = 1000;
/** Abort reason of a wait; without it an error object is created each time. */
const noticed = "something is to be looked at";

/**
 * Visits sites in the order of the scheduler, several at a time, and plans their next visits. Whatever a site does, it
 * occupies one open visit, and no longer than its time slice if others wait.
 */
export class SiteFollower {
  readonly #ports: FollowPorts;
  readonly #underWay = new Map<string, { readonly halt: AbortController; readonly end: Promise<void> }>();
  #wake = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #isStopping = false;

  constructor(ports: FollowPorts) {
    this.#ports = ports;
  }

  /** Call this after others changed the scheduler: visits to sites that are paused or removed are halted. */
  notice(): void {
    for (const [site, { halt }] of this.#underWay)
      if (this.#ports.scheduler.entryOf(site)?.isPaused !== false) this.#halt(halt);
    this.#wake.abort(noticed);
  }

  /**
   * Follows the sites of the scheduler for ever, or until each was visited once.
   *
   * @param signal - ends it in order, after the pages under way
   * @throws the rejection of a visit, after the others have ended
   */
  async run(signal: AbortSignal | undefined): Promise<void> {
    const stop = (): void => {
      this.#haltAll();
      this.#wake.abort(noticed);
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
      this.#haltAll();
      signal?.removeEventListener("abort", stop);
      await Promise.all(Array.from(this.#underWay.values(), ({ end }) => end));
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #haltAll(): void {
    this.#isStopping = true;
    for (const { halt } of this.#underWay.values()) this.#halt(halt);
  }

  #halt(halt: AbortController): void {
    if (!halt.signal.aborted) halt.abort(this.#ports.timing.now());
  }

  #isOver(): boolean {
    if (this.#isStopping || this.#failure !== undefined) return true;
    return !this.#ports.isForever && this.#ports.scheduler.size === 0 && this.#underWay.size === 0;
  }

  #begin(): void {
    const { scheduler, timing } = this.#ports;
    while (this.#underWay.size < this.#ports.visitsAtOnce) {
      const site = scheduler.next(timing.now());
      if (site === undefined) return;
      // It was removed and added again during its visit.
      if (this.#underWay.has(site)) scheduler.giveBack(site, timing.now() + againMs);
      else {
        const halt = new AbortController();
        this.#underWay.set(site, { halt, end: this.#visit(site, halt.signal) });
      }
    }
  }

  async #wait(): Promise<void> {
    const { scheduler, timing } = this.#ports;
    const isFull = this.#underWay.size >= this.#ports.visitsAtOnce;
    const waitMs = isFull ? longestWaitMs : Math.min(longestWaitMs, Math.max(0, scheduler.nextAt - timing.now()));
    if (!this.#wake.signal.aborted) await timing.delay(waitMs, this.#wake.signal);
  }

  async #visit(site: string, halt: AbortSignal): Promise<void> {
    const { scheduler, timing } = this.#ports;
    const beganAt = timing.now();
    // When the first page was about to be requested. Time for lists does not count: otherwise a visit with long lists
    // would always end before its first page.
    let pagesFrom: EpochMs | undefined;
    const mayGoOn = (): boolean => {
      pagesFrom ??= timing.now();
      return !halt.aborted && this.#mayGoOn(pagesFrom);
    };
    try {
      const end = await this.#ports.visit(site, { mayGoOn, halt });
      const at = this.#conclude(site, end, beganAt);
      // What waits for other sites at its address is not done.
      const isLeft = end.kind === "done" && end.isCutShort && !halt.aborted;
      if (this.#ports.isForever || isLeft) this.#giveBack(site, at, end);
      else scheduler.remove(site);
    } catch (error) {
      this.#failure ??= { error };
      this.#haltAll();
    } finally {
      this.#underWay.delete(site);
      this.#wake.abort(noticed);
    }
  }

  #giveBack(site: string, at: EpochMs, end: VisitEnd): void {
    const { scheduler } = this.#ports;
    if (!this.#ports.sites.isByLength(site)) scheduler.setBacklog(site, 0);
    else if (end.kind === "done") scheduler.setBacklog(site, end.result.summary.pending);
    scheduler.giveBack(site, at);
  }

  #conclude(site: string, end: VisitEnd, beganAt: EpochMs): EpochMs {
    const { plans, timing, random } = this.#ports;
    const planning = { bounds: this.#ports.sites.boundsOf(site), beganAt, now: timing.now(), random: random() };
    const plan = planNextVisit((plans.read(site) as VisitPlan | undefined) ?? unvisited, end, planning);
    plans.write(site, plan);
    this.#ports.onVisit?.(site, end, plan);
    return plan.at;
  }

  #mayGoOn(pagesFrom: EpochMs): boolean {
    const { scheduler, timing } = this.#ports;
    if (!this.#ports.isForever) return true;
    const now = timing.now();
    const isFull = this.#underWay.size >= this.#ports.visitsAtOnce;
    return !(isFull && now - pagesFrom >= sliceMs && scheduler.nextAt <= now);
  }
}
