import { statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { FSWatcher } from "chokidar";

/** Between two looks at a file that differs from what it was, in milliseconds. */
const settleMs = 250;
/** Between two looks that nothing asks for, in milliseconds. */
const lookEveryMs = 10_000;
/** A file is told to be gone when so many looks in a row, two seconds, do not find it: whoever replaces it may remove it first. */
const looksForGone = 8;
/** A file that is written without a pause is told after so many looks, ten seconds, all the same. */
const maxLooks = 40;
/** Only so many files have watches; others are looked at. */
const maxWatched = 1000;

/** Passes after a number of milliseconds, or when the signal says so. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

interface WatchedFile {
  /** What was there when it was told last; empty for nothing. */
  known: string;
  last: string;
  /** Looks in a row that found `last`. */
  repeats: number;
  /** Looks since it differs from `known`. */
  looks: number;
  watcher: FSWatcher | undefined;
}

/**
 * Tells when one of a few files that a person edits became another, came or went. Events of the system (chokidar) only say when to
 * look, so a watch that is lost costs ten seconds and nothing more: every ten seconds each file is looked at anyway, which also serves disks of
 * other machines, and folders and links on the way that were swapped.
 *
 * A change is told once the file has been the same for a quarter of a second, so that one which is being written is not read half.
 *
 * @see docs/decisions/0108-files-that-a-person-edits.md
 */
export class WatchedFiles implements AsyncDisposable {
  readonly #files = new Map<string, WatchedFile>();
  readonly #pause: Pause;
  readonly #end = new AbortController();
  readonly #closing = new Set<Promise<void>>();
  #isHinted = false;
  #wake: (() => void) | undefined;

  /** @param pause - how time passes. @default real time */
  constructor(pause: Pause = async (ms, signal) => await wait(ms, undefined, { signal })) {
    this.#pause = pause;
  }

  /** Watches these files from now on, there or not, and no others. Those that are watched already keep what is known of them. */
  follow(files: Iterable<string>): void {
    const wanted = new Set(files);
    for (const [path, file] of this.#files) {
      if (wanted.has(path)) continue;
      this.#unwatch(file);
      this.#files.delete(path);
    }
    for (const path of wanted) {
      if (this.#files.has(path)) continue;
      const state = stateOf(path);
      const file = { known: state, last: state, repeats: 0, looks: 0, watcher: undefined };
      this.#files.set(path, file);
      if (this.#files.size <= maxWatched) void this.#watch(path, file);
    }
  }

  /** Gives the files that changed, when some did; undefined after the signal or the end. One call at a time. */
  async next(signal?: AbortSignal): Promise<readonly string[] | undefined> {
    const ended = signal === undefined ? this.#end.signal : AbortSignal.any([signal, this.#end.signal]);
    while (!ended.aborted) {
      this.#isHinted = false;
      const { changed, isSettled } = this.#lookAtAll();
      if (changed.length > 0) return changed;
      await this.#rest(isSettled ? lookEveryMs : settleMs, isSettled, ended);
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    for (const file of this.#files.values()) this.#unwatch(file);
    this.#files.clear();
    await Promise.all(this.#closing);
  }

  #lookAtAll(): { readonly changed: readonly string[]; readonly isSettled: boolean } {
    const changed: string[] = [];
    let isSettled = true;
    for (const [path, file] of this.#files) {
      const verdict = look(file, stateOf(path));
      if (verdict === "unsettled") isSettled = false;
      if (verdict !== "changed") continue;
      changed.push(path);
      // Whatever the old watch stands on, the new one is of what is there now.
      if (file.watcher !== undefined) {
        this.#unwatch(file);
        void this.#watch(path, file);
      }
    }
    return { changed, isSettled };
  }

  /** @param mayWake - whether an event ends it; while a file settles, time does */
  async #rest(ms: number, mayWake: boolean, ended: AbortSignal): Promise<void> {
    if (mayWake && this.#isHinted) return;
    // Not AbortSignal.any: `ended` would remember each signal that was made from it, for as long as the process lives.
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    ended.addEventListener("abort", wake, { once: true });
    if (mayWake) this.#wake = wake;
    // An abort ends the wait.
    await this.#pause(ms, woken.signal).catch(() => undefined);
    this.#wake = undefined;
    ended.removeEventListener("abort", wake);
  }

  async #watch(path: string, file: WatchedFile): Promise<void> {
    // What it loads is of no use to who watches nothing.
    const { watch } = await import("chokidar");
    if (this.#files.get(path) !== file || file.watcher !== undefined) return;
    const hint = (): void => {
      this.#isHinted = true;
      this.#wake?.();
    };
    // One watcher a file: only such a one goes over to the folder when its file goes.
    const watcher = watch(path, { ignoreInitial: true, atomic: false, depth: 0 });
    file.watcher = watcher;
    // Where no watch is to be had, the file is looked at.
    watcher
      .on("all", hint)
      .on("ready", hint)
      .on("error", () => undefined);
  }

  #unwatch(file: WatchedFile): void {
    const closing = file.watcher?.close();
    file.watcher = undefined;
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }
}

function stateOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino, dev } = statSync(path, { bigint: true });
    return `${mtimeNs} ${ctimeNs} ${size} ${ino} ${dev}`;
  } catch {
    return "";
  }
}

function look(file: WatchedFile, state: string): "same" | "unsettled" | "changed" {
  const isAgain = state === file.last;
  file.last = state;
  // One that was another for a moment is told too: somebody may have read it then.
  if (state === file.known && file.looks === 0) return "same";
  file.repeats = isAgain ? file.repeats + 1 : 0;
  file.looks++;
  if (file.repeats < (state === "" ? looksForGone : 1) && file.looks < maxLooks) return "unsettled";
  file.known = state;
  file.looks = file.repeats = 0;
  return "changed";
}
