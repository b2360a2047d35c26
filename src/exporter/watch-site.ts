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

/** How a site is to be watched. */
export interface WatchSiteOptions extends Omit<ExportSiteOptions, "dryRun" | "urls"> {
  /** A list of pages, read again in each round; then each round looks at everything. */
  readonly urls?: string;
  /** How long nothing must change before what changed is published, in milliseconds. @default 30000 */
  readonly settleMs?: number;
  /** How often everything is looked at whatever the system told, in milliseconds. @default 86400000, a day */
  readonly rescanMs?: number;
  /** Is told when the watch stands, and what each round came to. May take its time: the next round waits for it. */
  readonly onRound?: (round: WatchedRound) => Promise<void> | void;
  /** @default the machine's */
  readonly timers?: NonNullable<SiteWatchOptions["timers"]>;
}

/** What one round of a watch came to. */
export type WatchedRound =
  /** The watch stands; everything is looked at next. */
  | { readonly kind: "watching"; readonly folders: number }
  | { readonly kind: "exported"; readonly because: ScanReason | "changes"; readonly summary: ExportSummary }
  /** It is tried again after the settle time. */
  | { readonly kind: "failed"; readonly error: TidemarkError };

/** What passes by itself or by the operator's hand, so that the watch goes on; anything else ends it. */
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
 * Publishes what changes in a document root, as it changes, until the signal: changes are gathered until
 * nothing has changed for the settle time, and published as one publication. What the system's events tell
 * is a hint where to look; everything is looked at at the start, every {@link WatchSiteOptions.rescanMs}, and
 * whenever events may have been lost, so that nothing is missed.
 *
 * A round costs what lies in the folders that changed, not what the site has; with `map` it looks at all of the
 * site, and what changes only in mapped folders waits for the next. Trouble that may pass is
 * reported, and what changed is published once it has passed.
 *
 * @throws TidemarkError for what does not pass by itself, such as `bad-option` and `state-version`
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
    // The owner's hand in robots.txt may change what is published.
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

  /** Publishes what a round says; undefined if it was stopped. */
  async publish(round: WatchRound): Promise<WatchedRound | undefined> {
    try {
      const { content } = await readRobotsFile(this.#robotsDir);
      const robots = replaceRobotsBlock(Buffer.from(content).toString("latin1"), "");
      // Other rules may publish or hold back any page.
      const isSame = robots === this.#robots;
      // Listed pages lie in no folder: a look at some of them would find theirs gone.
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
