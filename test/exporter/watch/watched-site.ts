import { setImmediate as nextTurn } from "node:timers/promises";
import type { ExportEvent } from "../../../src/core/export-event.ts";
import { compileGlobs } from "../../../src/exporter/walk/glob-filter.ts";
import type { SiteWatchOptions } from "../../../src/exporter/watch/site-watch.ts";
import { SiteWatch } from "../../../src/exporter/watch/site-watch.ts";
import type { WatchRound } from "../../../src/exporter/watch/watch-round.ts";
import { stranger } from "../walk/walked.ts";
import { ManualTimers } from "./manual-timers.ts";

/** Events are readable at once, and what they ask for is done within a few turns of the event loop. */
export async function takeTurns(turns = 40): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn();
}

/** A site that is watched under a test's own time: it settles in 1000 ms. */
export class WatchedSite implements AsyncDisposable {
  readonly watch: SiteWatch;
  readonly timers: ManualTimers = new ManualTimers();
  readonly warnings: { readonly code: string; readonly message: string }[] = [];

  private constructor(docroot: string, options: Partial<SiteWatchOptions>, globs: SiteWatchOptions["globs"]) {
    this.watch = new SiteWatch({
      docroot,
      globs,
      reader: stranger,
      judgePath: (path) => (path.startsWith("/.well-known/tidemark/") ? "own-output" : undefined),
      settleMs: 1000,
      timers: this.timers,
      onEvent: (event: ExportEvent) => {
        if (event.event === "warning") this.warnings.push(event);
      },
      ...options,
    });
  }

  /** Watches, and takes the first round. */
  static async open(
    docroot: string,
    {
      include = [],
      exclude = [],
      ...options
    }: Partial<SiteWatchOptions> & { include?: readonly string[]; exclude?: readonly string[] } = {},
  ): Promise<WatchedSite> {
    const site = new WatchedSite(docroot, options, await compileGlobs(include, exclude));
    await site.watch.start();
    const first = await site.watch.next();
    if (first?.kind !== "scan" || first.reason !== "start") throw new Error("The first round is no scan.");
    return site;
  }

  get warningCodes(): readonly string[] {
    return this.warnings.map(({ code }) => code);
  }

  #asked: Promise<WatchRound | undefined> | undefined;
  #given: WatchRound | undefined;

  /** Takes the round that comes within a time, in short steps; undefined if none does. */
  async roundWithin(timeMs: number): Promise<WatchRound | undefined> {
    this.#asked ??= this.watch.next().then((round) => (this.#given = round));
    await takeTurns();
    for (let leftMs = timeMs; leftMs > 0 && this.#given === undefined; leftMs -= 500) {
      this.timers.advance(Math.min(500, leftMs));
      await takeTurns();
    }
    const round = this.#given;
    if (round !== undefined) this.#asked = this.#given = undefined;
    return round;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watch[Symbol.asyncDispose]();
    await this.#asked;
  }
}

/** Whether a round asks to look at a folder's entries. */
export function covers(round: WatchRound | undefined, path: string): boolean {
  if (round === undefined) return false;
  if (round.kind === "scan") return true;
  return round.folders.includes(path) || round.trees.some((tree) => path.startsWith(tree));
}
