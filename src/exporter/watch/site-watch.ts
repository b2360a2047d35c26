import { type ExportEvent, maxTimerMs, TidemarkError } from "../../core/index.ts";
import type { LinkRules } from "../walk/path-rules.ts";
import type { ServedNameRules } from "../walk/served-names.ts";
import {
  describeWatchFailure,
  type QueueGauge,
  threadQueue,
  type WatchCounts,
  type WatchFolder,
  watchFolder,
} from "./system-watch.ts";
import { DirtyFolders, type ScanReason, type WatchRound } from "./watch-round.ts";
import { WatchTree } from "./watch-tree.ts";
import { findRoot } from "./watched-folder.ts";

/** Time as a watcher needs it. */
export interface WatchTimers {
  /** Milliseconds that only ever grow, from any beginning. */
  readonly nowMs: () => number;
  /** Calls once after a delay in milliseconds; returns what cancels it. */
  readonly schedule: (delayMs: number, task: () => void) => () => void;
}

/** What a watcher needs to know. What is withheld is judged as by the walk, and then not watched. Times are in milliseconds. */
export interface SiteWatchOptions extends LinkRules {
  /** The document root; a link to it may later lead elsewhere. */
  readonly docroot: string;
  /** Which files take the URL of others, as the walk is told. */
  readonly servedNames?: ServedNameRules | undefined;
  /** A round comes after so long without a change, and after ten times that if changes go on. @default 30000 */
  readonly settleMs?: number | undefined;
  /** How often everything is scanned, whatever events say. @default 86400000, a day */
  readonly rescanMs?: number | undefined;
  /** The same while folders cannot be watched. @default 300000, five minutes */
  readonly fallbackRescanMs?: number;
  /** If more folders change before a round, it is a scan. @default 10000 */
  readonly maxDirtyFolders?: number;
  /** Is told warnings: `inotify-watches`, `inotify-instances`, `watch-failed`, `watch-overflow`, `root-missing`, `root-replaced`. */
  readonly onEvent: (event: ExportEvent) => void;
  /** Ends the watch, as disposing does. */
  readonly signal?: AbortSignal | undefined;
  /** @default the machine's */
  readonly timers?: WatchTimers | undefined;
  /** @default `fs.watch` */
  readonly watchFolder?: WatchFolder;
  /** @default this thread's */
  readonly gauge?: QueueGauge;
}

/** How often the root itself is looked at: no event tells that another was mounted or linked there. */
const rootCheckMs = 10_000;
/** Changes that go on do not delay a round by more settle times. */
const maxSettleTimes = 10;

/** The monotonic clock, so that setting the clock changes nothing. */
const machineTimers: WatchTimers = {
  nowMs: () => performance.now(),
  schedule: (delayMs, task) => {
    const timer = setTimeout(task, Math.min(Math.max(0, delayMs), maxTimerMs));
    return () => clearTimeout(timer);
  },
};

/**
 * Watches a document root and says which folders to look at. No event is trusted as the truth: each only
 * names a place to look at, and a scan at the start, once a day and whenever events may be missing
 * repairs the rest.
 *
 * Every scan is asked for when the watches stand, so that what happens while it runs is in a later round.
 *
 * @see docs/decisions/0033-watching.md
 */
export class SiteWatch implements AsyncDisposable {
  readonly #options: SiteWatchOptions;
  readonly #timers: WatchTimers;
  readonly #dirty: DirtyFolders;
  readonly #tree: WatchTree;
  readonly #settleMs: number;
  readonly #rescanMs: number;
  readonly #fallbackRescanMs: number;
  readonly #endings: (() => void)[] = [];
  /** The first and the last change since the last round. */
  #firstChangeMs: number | undefined;
  #lastChangeMs = 0;
  #lastScanMs = 0;
  #lastRootCheckMs = 0;
  #pendingScan: ScanReason | undefined;
  /** A scan that could not be published: it is asked for again when it is quiet. */
  #givenBack: ScanReason | undefined;
  #rootIdentity: string | undefined;
  #warnedCode: string | undefined;
  #waiting: ((round: WatchRound | undefined) => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #isStarted = false;
  #isFirst = true;
  #isPreparing = false;
  #isStopped = false;

  constructor(options: SiteWatchOptions) {
    this.#options = options;
    this.#timers = options.timers ?? machineTimers;
    this.#settleMs = options.settleMs ?? 30_000;
    this.#rescanMs = options.rescanMs ?? 86_400_000;
    this.#fallbackRescanMs = Math.min(options.fallbackRescanMs ?? 300_000, this.#rescanMs);
    this.#dirty = new DirtyFolders(options.maxDirtyFolders ?? 10_000);
    const { docroot, gauge = threadQueue } = options;
    this.#tree = new WatchTree({
      docroot,
      rules: options,
      servedNames: options.servedNames,
      watchFolder: options.watchFolder ?? watchFolder,
      gauge,
      dirty: this.#dirty,
      onDirty: () => this.#noteChange(),
      onRootMoved: () => this.#checkRoot(),
    });
    this.#endings.push(gauge.onFull(() => this.#noteOverflow()));
    const stop = () => this.#stop();
    options.signal?.addEventListener("abort", stop, { once: true });
    this.#endings.push(() => options.signal?.removeEventListener("abort", stop));
    if (options.signal?.aborted === true) this.#stop();
  }

  get counts(): WatchCounts {
    return this.#tree.counts;
  }

  /**
   * Watches every folder. Resolves when the watches stand. Cost: a listing of each folder.
   *
   * @throws TidemarkError `not-found` if there is no such root
   */
  async start(): Promise<void> {
    if (this.#isStarted) throw new TypeError("A watch starts once.");
    this.#isStarted = true;
    if (this.#isStopped) return;
    this.#rootIdentity = await this.#tree.establish(false);
    if (this.#isStopped) return;
    if (this.#rootIdentity === undefined) {
      this.#stop();
      const message = `There is no document root ${this.#options.docroot} to watch.`;
      throw new TidemarkError("not-found", message, { hint: "Check the path." });
    }
    this.#lastRootCheckMs = this.#timers.nowMs();
    this.#warnOfFailure();
  }

  /**
   * Gives what to look at next, when it is quiet or time; undefined when the watch has ended. The first
   * is a scan. What is given is forgotten: if it could not be published, {@link giveBack} it.
   */
  async next(): Promise<WatchRound | undefined> {
    if (!this.#isStarted || this.#waiting !== undefined) throw new TypeError("One round is asked for at a time.");
    if (this.#isStopped) return undefined;
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#advance();
    });
  }

  /** Notes that a file changed which is no page and which rounds go by: a round comes, of the root's entries at least. */
  note(): void {
    this.#dirty.markFolder("/");
    this.#noteChange();
  }

  /** Takes a round back that was not published: it is part of a later one, after the settle time. */
  giveBack(round: WatchRound): void {
    if (round.kind === "scan") this.#givenBack = round.reason;
    else {
      for (const path of round.trees) this.#dirty.markTree(path);
      for (const path of round.folders) this.#dirty.markFolder(path);
    }
    this.#noteChange();
  }

  /** Ends all watches and timers; a round that is waited for becomes undefined. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#cancelTimer?.();
    for (const end of this.#endings) end();
    this.#tree.close();
    this.#resolve(undefined);
  }

  #resolve(round: WatchRound | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(round);
  }

  #noteChange(): void {
    this.#lastChangeMs = this.#timers.nowMs();
    if (this.#firstChangeMs !== undefined) return;
    this.#firstChangeMs = this.#lastChangeMs;
    this.#arm();
  }

  /** When the changes have settled, if none follows; undefined if there was none. */
  get #settledAtMs(): number | undefined {
    if (this.#firstChangeMs === undefined) return undefined;
    return Math.min(this.#lastChangeMs + this.#settleMs, this.#firstChangeMs + maxSettleTimes * this.#settleMs);
  }

  #noteOverflow(): void {
    if (this.#pendingScan !== "overflow") {
      const message = "The system dropped events because too much changed at once: everything is scanned again.";
      this.#warn("watch-overflow", message);
    }
    this.#pendingScan ??= "overflow";
    this.#noteChange();
  }

  #checkRoot(): void {
    this.#lastRootCheckMs = this.#timers.nowMs();
    if (this.#isFirst) return;
    const identity = findRoot(this.#options.docroot)?.identity;
    if (identity === this.#rootIdentity) return;
    this.#rootIdentity = identity;
    const { docroot } = this.#options;
    const what = `The document root ${docroot}`;
    if (identity === undefined)
      this.#warn("root-missing", `${what} is gone; what was published stays until it is back.`);
    else this.#warn("root-replaced", `${what} was replaced or has a different mode: everything is scanned.`);
    this.#pendingScan = "root-changed";
    this.#noteChange();
  }

  /** When the next scan is due that nothing asked for. */
  #routineScan(): { readonly atMs: number; readonly reason: ScanReason } {
    const fallbackMs = this.#lastScanMs + this.#fallbackRescanMs;
    if (this.#rootIdentity === undefined) return { atMs: fallbackMs, reason: "root-changed" };
    if (this.#tree.failure !== undefined) return { atMs: fallbackMs, reason: "watcher-failed" };
    return { atMs: this.#lastScanMs + this.#rescanMs, reason: "rescan" };
  }

  #dueScan(nowMs: number, isSettled: boolean): ScanReason | undefined {
    if (this.#isFirst) return "start";
    // A burst, a deployment and a mount take their time.
    const asked = this.#pendingScan ?? this.#givenBack;
    if (asked !== undefined && isSettled) return asked;
    const routine = this.#routineScan();
    return routine.atMs <= nowMs ? routine.reason : undefined;
  }

  #advance(): void {
    if (this.#isStopped || this.#isPreparing) return;
    let nowMs = this.#timers.nowMs();
    if (nowMs - this.#lastRootCheckMs >= rootCheckMs) this.#checkRoot();
    nowMs = this.#timers.nowMs();
    const settledAtMs = this.#settledAtMs;
    const isSettled = settledAtMs !== undefined && settledAtMs <= nowMs;
    if (this.#waiting !== undefined) {
      const reason = this.#dueScan(nowMs, isSettled);
      if (reason !== undefined) {
        void this.#prepareScan(reason);
        return;
      }
      if (isSettled) {
        this.#prepareFolders();
        return;
      }
    }
    this.#arm();
  }

  #arm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isStopped || this.#isPreparing || !this.#isStarted) return;
    const dueMs = [this.#lastRootCheckMs + rootCheckMs];
    if (this.#waiting !== undefined) {
      const settledAtMs = this.#settledAtMs;
      if (settledAtMs !== undefined) dueMs.push(settledAtMs);
      dueMs.push(this.#routineScan().atMs);
    }
    const delayMs = Math.max(0, Math.min(...dueMs) - this.#timers.nowMs());
    this.#cancelTimer = this.#timers.schedule(delayMs, () => {
      this.#cancelTimer = undefined;
      this.#advance();
    });
  }

  async #prepareScan(reason: ScanReason): Promise<void> {
    this.#isPreparing = true;
    if (!this.#isFirst) {
      // What is noted from here on is for the round after.
      this.#pendingScan = undefined;
      this.#givenBack = undefined;
      // After lost events no watch is known to be of the folder that bears its name now. Where watches are
      // scarce, those that stand are not let go.
      this.#rootIdentity = await this.#tree.establish(reason === "watcher-failed");
      this.#lastRootCheckMs = this.#timers.nowMs();
    }
    this.#isFirst = false;
    this.#lastScanMs = this.#timers.nowMs();
    this.#warnOfFailure();
    this.#finish({ kind: "scan", reason });
  }

  #prepareFolders(): void {
    this.#tree.checkLinks();
    this.#warnOfFailure();
    if (this.#dirty.isOverfull) {
      this.#lastScanMs = this.#timers.nowMs();
      this.#finish({ kind: "scan", reason: "too-many" });
    } else this.#finish(this.#dirty.isEmpty ? undefined : { kind: "folders", ...this.#dirty.take() });
  }

  /** All that was told so far is part of the round. */
  #finish(round: WatchRound | undefined): void {
    this.#isPreparing = false;
    this.#dirty.clear();
    this.#firstChangeMs = undefined;
    if (this.#pendingScan !== undefined || this.#givenBack !== undefined)
      this.#firstChangeMs = this.#lastChangeMs = this.#timers.nowMs();
    if (round !== undefined && !this.#isStopped) this.#resolve(round);
    this.#arm();
  }

  #warnOfFailure(): void {
    const failure = this.#tree.failure;
    const code = failure?.code;
    if (failure !== undefined && code !== this.#warnedCode)
      this.#options.onEvent(describeWatchFailure(failure, this.#tree.counts, this.#fallbackRescanMs));
    this.#warnedCode = code;
  }

  #warn(code: string, message: string): void {
    this.#options.onEvent({ event: "warning", code, message });
  }
}
