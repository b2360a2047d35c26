import { join, resolve } from "node:path";
import { type ErrorCode, type ExportEvent, type ExportSummary, TidemarkError } from "../core/index.ts";
import { replaceRobotsBlock } from "../formats/robots/index.ts";
import { WatchedFiles } from "../fs/index.ts";
import type { ExportSiteOptions } from "./export-settings.ts";
import { exportRound } from "./export-site.ts";
import { otherUrlsCode } from "./naming/canonical-names.ts";
import { readRobotsFile, robotsFileName } from "./publish/published-files.ts";
import { readSiteRules } from "./site-rules.ts";
import { SiteWatch, type WatchTimers } from "./watch/site-watch.ts";
import type { ScanReason, WatchRound } from "./watch/watch-round.ts";

/** Options of a watch. */
export interface WatchSiteOptions extends Omit<ExportSiteOptions, "dryRun" | "urls"> {
  /** A list of pages, watched and read again in each round; then each round scans everything. */
  readonly urls?: string;
  /** Settle time: milliseconds without changes before they are published. @default 30000 */
  readonly settleMs?: number;
  /** Interval of full scans, whatever events say, in milliseconds. @default 86400000, a day */
  readonly rescanMs?: number;
  /** Called when the watch is ready and after each round. It may take time: the next round waits for it. */
  readonly onRound?: (round: WatchedRound) => Promise<void> | void;
  /** @default the machine's */
  readonly timers?: WatchTimers;
}

/** Result of one round of a watch. */
export type WatchedRound =
  /** All watches are set; the full scan is next. */
  | { readonly kind: "watching"; readonly folders: number }
  | { readonly kind: "exported"; readonly because: ScanReason | "changes"; readonly summary: ExportSummary }
  /** The round is retried after the settle time. */
  | { readonly kind: "failed"; readonly error: TidemarkError };

/** Errors that pass by themselves or after the operator acts, so that the watch continues; any other error ends it. */
const passing: ReadonlySet<ErrorCode> = new Set([
  "locked",
  "disk-full",
  "no-permission",
  "read-only",
  "not-found",
  "not-a-folder",
  "robots-unreadable",
  "io",
]);

/**
 * Publishes changes in a document root as they happen, until the signal. Changes are collected until none happened for
 * the settle time, and published as one publication. File system events are only hints where to look: a full scan runs
 * at the start, every {@link WatchSiteOptions.rescanMs}, and whenever events may have been lost, so that nothing is
 * missed.
 *
 * `robots.txt` and the list of `urls` are watched too, wherever they are.
 *
 * A round costs as much as the folders that changed, not as the site; with `map` it scans the whole site, and changes
 * only in mapped folders wait for the next round. Temporary failures are reported, and the changes are published after
 * they have passed.
 *
 * @throws TidemarkError for lasting errors, such as `bad-option` and `state-version`
 * @example
 * ```ts
 * const stop = new AbortController();
 * await watchSite({ docroot: "/var/www/html", baseUrl: "https://example.org/", signal: stop.signal });
 * ```
 */
export async function watchSite(options: WatchSiteOptions): Promise<void> {
  const { settleMs, rescanMs, timers, signal, onRound } = options;
  const rules = await readSiteRules(options);
  const onEvent = options.onEvent ?? (() => undefined);
  const robotsDir = resolve(rules.robotsDir);
  const { urls } = options;
  await using edited = new WatchedFiles();
  edited.follow([join(robotsDir, robotsFileName), ...(urls === undefined ? [] : [urls])]);
  await using watch = new SiteWatch({
    docroot: rules.docroot,
    globs: rules.globs,
    reader: rules.reader,
    servedNames: rules.servedNames,
    // The owner's changes to robots.txt may change what is published.
    judgePath: (path) => (path === "/robots.txt" ? undefined : rules.judgePath(path)),
    ...{ settleMs, rescanMs, timers, signal, onEvent },
  });
  await watch.start();
  await onRound?.({ kind: "watching", folders: watch.counts.folders });
  const watching = new Watching({ ...options, onEvent: warnOnce(onEvent) }, robotsDir);
  void noteEdits(edited, watch, async (files) => {
    return (urls !== undefined && files.includes(urls)) || (await watching.hasOtherRobots());
  });
  for (let round = await watch.next(); round !== undefined; round = await watch.next()) {
    const done = await watching.publish(round);
    if (done === undefined) return;
    if (done.kind === "failed") watch.giveBack(round);
    await onRound?.(done);
  }
}

/** What pages call themselves is the same in each round. */
function warnOnce(onEvent: (event: ExportEvent) => void): (event: ExportEvent) => void {
  let isTold = false;
  return (event) => {
    const isOfNames = event.event === "warning" && event.code === otherUrlsCode;
    if (!isOfNames || !isTold) onEvent(event);
    isTold ||= isOfNames;
  };
}

/** Asks for a round when a watched file was edited. @param matters - whether these files are others than the last round went by */
async function noteEdits(
  edited: WatchedFiles,
  watch: SiteWatch,
  matters: (files: readonly string[]) => Promise<boolean>,
): Promise<void> {
  for (let files = await edited.next(); files !== undefined; files = await edited.next())
    if (await matters(files)) watch.note();
}

class Watching {
  readonly #options: WatchSiteOptions;
  readonly #robotsDir: string;
  /** The owner's lines in robots.txt that the last round went by. */
  #robots: string | undefined;
  /** Whether a round succeeded: from then on the state is right. */
  #hasPublished = false;

  constructor(options: WatchSiteOptions, robotsDir: string) {
    this.#options = options;
    this.#robotsDir = robotsDir;
  }

  /** Whether robots.txt says something else than when it was published last, in the owner's lines; also if it cannot be read. */
  async hasOtherRobots(): Promise<boolean> {
    return (await readRobotsFile(this.#robotsDir).then(rulesIn, () => undefined)) !== this.#robots;
  }

  /** Publishes the changes of a round; undefined if it was stopped. */
  async publish(round: WatchRound): Promise<WatchedRound | undefined> {
    try {
      const robots = await readRobotsFile(this.#robotsDir);
      const rules = rulesIn(robots);
      // Other rules may publish or hold back any page.
      const isSame = rules === this.#robots;
      // Listed pages are in no folder: a partial scan would consider them deleted.
      const hasLists = this.#options.urls !== undefined || this.#options.sitemapFrom !== undefined;
      const parts = round.kind === "folders" && isSame && !hasLists ? round : undefined;
      const { previous, previousOptional, ...later } = this.#options;
      const summary = await exportRound(this.#hasPublished ? later : this.#options, { parts, robots });
      this.#hasPublished = true;
      this.#robots = rules;
      return { kind: "exported", because: round.kind === "scan" ? round.reason : "changes", summary };
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      if (error.code === "aborted") return undefined;
      // What was right once, a list that is being edited made wrong.
      const isOfList = error.code === "bad-option" && this.#options.urls !== undefined && this.#robots !== undefined;
      // A server that lists pages may be down for a while; a wrong URL is told at the start.
      const isOfServer = error.code === "site-unavailable" && this.#hasPublished;
      if (!passing.has(error.code) && !isOfList && !isOfServer) throw error;
      return { kind: "failed", error };
    }
  }
}

/** The owner's lines of robots.txt. */
function rulesIn(robots: Uint8Array): string {
  return replaceRobotsBlock(Buffer.from(robots).toString("latin1"), "");
}
