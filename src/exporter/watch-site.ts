import { resolve } from "node:path";
import { type ErrorCode, type ExportSummary, TidemarkError } from "../core/index.ts";
import { replaceRobotsBlock } from "../formats/robots/index.ts";
import { exportParts } from "./export-site.ts";
import type { ExportSiteOptions } from "./export-site-options.ts";
import { readRobotsFile } from "./publish/published-files.ts";
import { readSiteRules } from "./site-rules.ts";
import { SiteWatch } from "./watch/site-watch.ts";
import type { SiteWatchOptions } from "./watch/site-watch-options.ts";
import type { ScanReason, WatchRound } from "./watch/watch-round.ts";

/** Options of a watch. */
export interface WatchSiteOptions extends Omit<ExportSiteOptions, "dryRun" | "urls"> {
  /** A list of pages, read again in each round; then each round scans everything. */
  readonly urls?: string;
  /** Settle time: milliseconds without changes before they are published. @default 30000 */
  readonly settleMs?: number;
  /** Interval of full scans, whatever events say, in milliseconds. @default 86400000, a day */
  readonly rescanMs?: number;
  /** Called when the watch is ready and after each round. It may take time: the next round waits for it. */
  readonly onRound?: (round: WatchedRound) => Promise<void> | void;
  /** @default the machine's */
  readonly timers?: NonNullable<SiteWatchOptions["timers"]>;
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
  await using watch = new SiteWatch({
    docroot: rules.docroot,
    globs: rules.globs,
    reader: rules.reader,
    // The owner's changes to robots.txt may change what is published.
    judgePath: (path) => (path === "/robots.txt" ? undefined : rules.judgePath(path)),
    onEvent,
    ...(settleMs === undefined ? {} : { settleMs }),
    ...(rescanMs === undefined ? {} : { rescanMs }),
    ...(timers === undefined ? {} : { timers }),
    ...(signal === undefined ? {} : { signal }),
  });
  await watch.start();
  await onRound?.({ kind: "watching", folders: watch.counts.folders });
  const watching = new Watching(options, rules.robotsDir);
  for (let round = await watch.next(); round !== undefined; round = await watch.next()) {
    const done = await watching.publish(round);
    if (done === undefined) return;
    if (done.kind === "failed") watch.giveBack(round);
    await onRound?.(done);
  }
}

class Watching {
  readonly #options: WatchSiteOptions;
  readonly #robotsDir: string;
  #robots: string | undefined;

  constructor(options: WatchSiteOptions, robotsDir: string) {
    this.#options = options;
    this.#robotsDir = resolve(robotsDir);
  }

  /** Publishes the changes of a round; undefined if it was stopped. */
  async publish(round: WatchRound): Promise<WatchedRound | undefined> {
    try {
      const { content } = await readRobotsFile(this.#robotsDir);
      const robots = replaceRobotsBlock(Buffer.from(content).toString("latin1"), "");
      // Changed rules may publish or withhold any page.
      const isSame = robots === this.#robots;
      // Listed pages are in no folder: a partial scan would consider them deleted.
      const hasLists = this.#options.urls !== undefined || this.#options.sitemapFrom !== undefined;
      const parts = round.kind === "folders" && isSame && !hasLists ? round : undefined;
      const summary = await exportParts(this.#options, parts);
      this.#robots = robots;
      return { kind: "exported", because: round.kind === "scan" ? round.reason : "changes", summary };
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      if (error.code === "aborted") return undefined;
      if (!passing.has(error.code)) throw error;
      return { kind: "failed", error };
    }
  }
}
