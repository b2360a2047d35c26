import { TidemarkError } from "../../core/index.ts";
import { DirtyFolders } from "./dirty-folders.ts";
import { watchFolder } from "./folder-watch.ts";
import { threadQueue } from "./queue-gauge.ts";
import { QuietClock } from "./quiet-clock.ts";
import type { SiteWatchOptions } from "./site-watch-options.ts";
import { describeWatchFailure, type WatchCounts } from "./watch-limit.ts";
import type { ScanReason, WatchRound } from "./watch-round.ts";
import { machineTimers, type WatchTimers } from "./watch-timers.ts";
import { WatchTree } from "./watch-tree.ts";
import { findRoot } from "./watched-folder.ts";

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
  readonly #quiet: QuietClock;
  readonly #rescanMs: number;
  readonly #fallbackRescanMs: number;
  readonly #rootCheckMs: number;
  readonly #endings: (() => void)[] = [];
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
    const { settleMs = 30_000 } = options;
    this.#quiet = new QuietClock(settleMs, options.maxSettleMs ?? 10 * settleMs);
    this.#rescanMs = options.rescanMs ?? 86_400_000;
    this.#fallbackRescanMs = Math.min(options.fallbackRescanMs ?? 300_000, this.#rescanMs);
    this.#rootCheckMs = options.rootCheckMs ?? 10_000;
    this.#dirty = new DirtyFolders(options.maxDirtyFolders ?? 10_000);
    const { docroot, globs, reader, judgePath, maxPathLength = 2048, gauge = threadQueue } = options;
    this.#tree = new WatchTree({
      docroot,
      rules: { globs, reader, judgePath, maxPathLength },
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

  /** How many folders there are to watch and how many are. */
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
      const { docroot } = this.#options;
      throw new TidemarkError("not-found", `There is no document root ${docroot} to watch.`, {
        hint: "Check the path.",
      });
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
    this.#tree.stop();
    this.#resolve(undefined);
  }

  #resolve(round: WatchRound | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(round);
  }

  #noteChange(): void {
    if (this.#quiet.note(this.#timers.nowMs())) this.#arm();
  }

  #noteOverflow(): void {
    if (this.#pendingScan !== "overflow") {
      this.#warn(
        "watch-overflow",
        "The system dropped events because too much changed at once: everything is scanned again.",
      );
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
    if (identity === undefined) {
      this.#warn("root-missing", `The document root ${docroot} is gone; what was published stays until it is back.`);
    } else
      this.#warn(
        "root-replaced",
        `The document root ${docroot} was replaced or has a different mode: everything is scanned.`,
      );
    this.#pendingScan = "root-changed";
    this.#noteChange();
  }

  /** When the next scan is due that nothing asked for. */
  #routineScan(): { readonly atMs: number; readonly reason: ScanReason } {
    if (this.#rootIdentity === undefined)
      return { atMs: this.#lastScanMs + this.#fallbackRescanMs, reason: "root-changed" };
    if (this.#tree.failure !== undefined)
      return { atMs: this.#lastScanMs + this.#fallbackRescanMs, reason: "watcher-failed" };
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
    if (nowMs - this.#lastRootCheckMs >= this.#rootCheckMs) this.#checkRoot();
    nowMs = this.#timers.nowMs();
    const settledAtMs = this.#quiet.settledAtMs;
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
    const dueMs = [this.#lastRootCheckMs + this.#rootCheckMs];
    if (this.#waiting !== undefined) {
      const settledAtMs = this.#quiet.settledAtMs;
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
    this.#quiet.reset();
    if (this.#pendingScan !== undefined || this.#givenBack !== undefined) this.#quiet.note(this.#timers.nowMs());
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
