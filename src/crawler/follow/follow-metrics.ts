import { hostname } from "node:os";
import {
  type Clock,
  type CrawlEvent,
  type EpochMs,
  type FetchOutcome,
  omitUndefined,
  type VisitPlan,
} from "../../core/index.ts";
import type { VisitEnd } from "../engine/visit-plan.ts";
import { isFailedVisit, pollingRequestsOf } from "../visit-cost.ts";
import type { FollowStatus, TroubledSite, VisitingSite, VisitWait, WaitingSite } from "./follow-status.ts";
import type { SiteScheduler } from "./site-scheduler.ts";
import { maxStatusRows, maxStatusText, plainText } from "./status-file.ts";

const windowSeconds = 60;

/** Counts events of the last minute. */
export class RateWindow {
  readonly #counts: Float64Array = new Float64Array(windowSeconds);
  #newest: number;
  #since: EpochMs;

  /** @param now - start of counting */
  constructor(now: EpochMs) {
    this.#since = now;
    this.#newest = Math.floor(now / 1000);
  }

  add(count: number, now: EpochMs): void {
    this.#advance(now);
    const at = this.#newest % windowSeconds;
    this.#counts[at] = (this.#counts[at] ?? 0) + count;
  }

  /** Events per second over the last minute, or since the start if that is shorter. O(1). */
  perSecond(now: EpochMs): number {
    this.#advance(now);
    const sum = this.#counts.reduce((all, count) => all + count, 0);
    return sum / Math.max(1, Math.min(windowSeconds, (now - this.#since) / 1000));
  }

  #advance(now: EpochMs): void {
    const second = Math.floor(now / 1000);
    // The clock was set back: it counts from then on.
    if (second < this.#newest - 1) {
      this.#counts.fill(0);
      this.#newest = second;
      this.#since = now;
    }
    for (let left = Math.min(windowSeconds, second - this.#newest); left > 0; left--)
      this.#counts[(second - left + 1) % windowSeconds] = 0;
    this.#newest = Math.max(this.#newest, second);
  }
}

/** Keeps the k rows with the smallest keys of a long sequence. O(1) per row on average. */
export class TopK<Row> {
  readonly #most: number;
  #rows: { readonly key: number; readonly row: Row }[] = [];
  #bound = Number.POSITIVE_INFINITY;

  /** @param most - number of rows to keep */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param make - called only for a row that may be kept */
  add(key: number, make: () => Row): void {
    if (key >= this.#bound) return;
    this.#rows.push({ key, row: make() });
    if (this.#rows.length >= 2 * this.#most) this.#cut();
  }

  /** The rows with the smallest keys first; equal keys in the order of insertion. */
  rows(): Row[] {
    this.#cut();
    return this.#rows.map(({ row }) => row);
  }

  #cut(): void {
    this.#rows.sort((one, other) => one.key - other.key);
    this.#rows = this.#rows.slice(0, this.#most);
    if (this.#rows.length === this.#most) this.#bound = this.#rows.at(-1)?.key ?? this.#bound;
  }
}

interface Visiting {
  readonly sinceMs: EpochMs;
  requests: number;
  bytes: number;
  changes: number;
  wait: { readonly until: EpochMs; readonly why: VisitWait } | undefined;
  /** The last reason why the site could not be reached. */
  trouble: string | undefined;
}

interface Trouble {
  readonly failures: number;
  readonly message: string;
}

const troubleCodes: ReadonlySet<string> = new Set(["site-unavailable", "site-postponed", "site-in-trouble"]);

function ageOf(lastMs: EpochMs | undefined, now: EpochMs): keyof FollowStatus["sitesByAge"] {
  if (lastMs === undefined) return "never";
  const hours = (now - lastMs) / 3_600_000;
  return hours <= 1 ? "hour" : hours <= 24 ? "day" : "older";
}

/** @param told - the last trouble that the visit reported */
function reasonOf(end: VisitEnd, told: string | undefined): string {
  if (end.kind === "failed") return end.error instanceof Error ? end.error.message : String(end.error);
  const { source, pending, passedOver } = end.result.summary;
  const why = (source === "none" ? passedOver.at(-1)?.why : undefined) ?? told;
  // Every visit begins with robots.txt: only the reason is new, and space is short.
  if (why !== undefined) return why.replace(/^robots\.txt could not be fetched: /, "");
  return source === "none" ? "it could not be asked" : `${pending} pages are left`;
}

function cut(text: string): string {
  const plain = plainText(text.slice(0, 4 * maxStatusText));
  return plain.length <= maxStatusText ? plain : `${plain.slice(0, maxStatusText - 1)}…`;
}

/** Collects the metrics of a follower while it runs. */
export class FollowMetrics {
  readonly #scheduler: SiteScheduler;
  readonly #now: Clock;
  readonly #connections: number;
  readonly #startedMs: EpochMs;
  readonly #visiting = new Map<string, Visiting>();
  readonly #troubles = new Map<string, Trouble>();
  /** When the last successful visit of each site began. */
  readonly #lookedAt = new Map<string, EpochMs>();
  readonly #requestRate: RateWindow;
  readonly #byteRate: RateWindow;
  visits = 0;
  failedVisits = 0;
  #requests = 0;
  #bytes = 0;
  #pages = { created: 0, updated: 0, deleted: 0 };
  #pollingRequests = 0;
  #endedRequests = 0;

  constructor(scheduler: SiteScheduler, now: Clock, connections: number) {
    this.#scheduler = scheduler;
    this.#now = now;
    this.#connections = connections;
    this.#startedMs = now();
    this.#requestRate = new RateWindow(this.#startedMs);
    this.#byteRate = new RateWindow(this.#startedMs);
  }

  /** A site is followed from now on, with its number of failed visits in a row and the time of the last successful one. */
  enter(site: string, { failures, lookedAt }: Pick<VisitPlan, "failures" | "lookedAt">): void {
    if (lookedAt > 0) this.#lookedAt.set(site, lookedAt);
    if (failures > 0) this.#troubles.set(site, { failures, message: "" });
  }

  leave(site: string): void {
    this.#troubles.delete(site);
    this.#lookedAt.delete(site);
  }

  begin(site: string): void {
    this.#visiting.set(site, {
      sinceMs: this.#now(),
      requests: 0,
      bytes: 0,
      changes: 0,
      wait: undefined,
      trouble: undefined,
    });
  }

  end(site: string, end: VisitEnd, { failures, lookedAt }: VisitPlan): void {
    if (lookedAt > 0 && this.#scheduler.has(site)) this.#lookedAt.set(site, lookedAt);
    const told = this.#visiting.get(site)?.trouble;
    this.#visiting.delete(site);
    this.visits++;
    const isHalted = end.kind === "done" && end.result.summary.isCutShort === true;
    if (end.kind === "done" && !isHalted) {
      const { summary } = end.result;
      this.#pollingRequests += pollingRequestsOf(summary);
      this.#endedRequests += summary.requests;
    }
    if (end.kind === "failed" || isFailedVisit(end.result.summary)) this.failedVisits++;
    if (failures === 0) this.#troubles.delete(site);
    // What ended it says nothing of the site.
    else if (!isHalted && this.#scheduler.has(site))
      this.#troubles.set(site, { failures, message: cut(reasonOf(end, told)) });
  }

  /** Counts the outcome of a request. */
  count(site: string, { requests, receivedBytes }: FetchOutcome): void {
    const now = this.#now();
    this.#requests += requests;
    this.#bytes += receivedBytes;
    this.#requestRate.add(requests, now);
    this.#byteRate.add(receivedBytes, now);
    const visiting = this.#visiting.get(site);
    if (visiting === undefined) return;
    visiting.requests += requests;
    visiting.bytes += receivedBytes;
    visiting.wait = undefined;
  }

  note(event: CrawlEvent): void {
    const visiting = this.#visiting.get(event.site);
    if (event.event === "waiting") {
      if (visiting !== undefined) visiting.wait = { until: event.untilMs, why: event.why };
      return;
    }
    if (event.event === "warning" && visiting !== undefined && troubleCodes.has(event.code))
      visiting.trouble = event.message;
    if (event.event !== "page") return;
    const { outcome } = event;
    if (outcome !== "created" && outcome !== "updated" && outcome !== "deleted") return;
    this.#pages[outcome]++;
    if (visiting !== undefined) visiting.changes++;
  }

  /** The current status. O(sites). */
  status(): FollowStatus {
    const now = this.#now();
    return {
      version: 1,
      pid: process.pid,
      host: hostname().slice(0, maxStatusText),
      startedMs: this.#startedMs,
      writtenMs: now,
      connections: this.#connections,
      visits: this.visits,
      failedVisits: this.failedVisits,
      requests: this.#requests,
      bytes: this.#bytes,
      ...this.#pages,
      pollingRequests: this.#pollingRequests,
      savedRequests: this.#pollingRequests - this.#endedRequests,
      requestsPerSecond: Math.round(this.#requestRate.perSecond(now) * 1000) / 1000,
      bytesPerSecond: Math.round(this.#byteRate.perSecond(now)),
      ...this.#listSites(now),
    };
  }

  #listSites(
    now: EpochMs,
  ): Pick<
    FollowStatus,
    | "sites"
    | "sitesByAge"
    | "waiting"
    | "due"
    | "underWay"
    | "paused"
    | "backOff"
    | "visiting"
    | "troubled"
    | "next"
    | "pausedSites"
  > {
    const next = new TopK<WaitingSite>(maxStatusRows);
    const pausedSites = new TopK<WaitingSite>(maxStatusRows);
    const troubled = new TopK<TroubledSite>(maxStatusRows);
    let [waiting, underWay, paused, backOff] = [0, 0, 0, 0];
    const sitesByAge = { hour: 0, day: 0, older: 0, never: 0 };
    for (const site of this.#scheduler.sites()) {
      const entry = this.#scheduler.entryOf(site);
      if (entry === undefined) continue;
      const { at, priority, isPaused } = entry;
      const lastMs = this.#lookedAt.get(site);
      sitesByAge[ageOf(lastMs, now)]++;
      const row = (): WaitingSite => ({ site, nextMs: at ?? now, priority, ...omitUndefined({ lastMs }) });
      // A visit continues for a moment after its site is paused, or removed from the list and added again.
      if (at === undefined || this.#visiting.has(site)) underWay++;
      else if (isPaused) {
        paused++;
        pausedSites.add(at, row);
      } else {
        waiting++;
        next.add(at, row);
      }
      const trouble = this.#troubles.get(site);
      const isResting = this.#isBackingOff(site, now);
      if ((trouble !== undefined && at !== undefined && !isPaused) || isResting) backOff++;
      if (trouble !== undefined)
        troubled.add(-trouble.failures, () => ({
          site,
          ...trouble,
          ...omitUndefined({ lastMs }),
          ...(at === undefined ? {} : { nextMs: at }),
          ...(isPaused ? { isPaused } : {}),
        }));
    }
    return {
      sites: this.#scheduler.size,
      sitesByAge,
      waiting,
      due: this.#scheduler.countDue(now),
      underWay,
      paused,
      backOff,
      visiting: this.#listVisiting(now),
      troubled: troubled.rows(),
      next: next.rows(),
      pausedSites: pausedSites.rows(),
    };
  }

  #isBackingOff(site: string, now: EpochMs): boolean {
    const wait = this.#visiting.get(site)?.wait;
    return wait !== undefined && wait.until > now && (wait.why === "retry-after" || wait.why === "back-off");
  }

  #listVisiting(now: EpochMs): VisitingSite[] {
    const rows: VisitingSite[] = [];
    // In the order in which they started.
    for (const [site, { wait, trouble: _, ...counts }] of this.#visiting) {
      if (rows.length === maxStatusRows) break;
      const isWaiting = wait !== undefined && wait.until > now;
      rows.push({ site, ...counts, ...(isWaiting ? { waitsUntilMs: wait.until, why: wait.why } : {}) });
    }
    return rows;
  }
}
