import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder } from "../temp-folder.ts";
import { BurstSite } from "./burst.ts";
import { runTidemark } from "./command.ts";
import { compareTrees } from "./file-tree.ts";
import { createRandom } from "./random.ts";
import { WatchingExporter, type WatchingOptions } from "./watching-exporter.ts";
import { startWebServer } from "./web-server.ts";

/** How a burst is tried. */
export interface WatchBurstOptions extends Pick<WatchingOptions, "under" | "options"> {
  readonly files: number;
  readonly changes: number;
  /** How long the changes take. */
  readonly burstMs: number;
  readonly seed: number;
  /** How often a crawler comes during the burst. @default 1000 */
  readonly visitEveryMs?: number;
  readonly onProgress?: (line: string) => void;
}

/** What a burst came to, once mirror and site were seen to be equal. */
export interface WatchBurstReport {
  readonly folders: number;
  /** From the start of the process until the watches stood, and until the first publication. */
  readonly watchesMs: number;
  readonly firstPublicationMs: number;
  readonly residentMiB: number;
  readonly residentAfterMiB: number;
  readonly peakMiB: number;
  readonly burstMs: number;
  /** Visits of the crawler from the first change until the mirror was equal. */
  readonly visits: number;
  /** From the last change until the publication after which the mirror was equal. */
  readonly delayMs: number;
  /** Reasons of the rounds from the first change on, in order. */
  readonly rounds: readonly string[];
  readonly warnings: readonly string[];
}

const ownOutput: ReadonlySet<string> = new Set(["/robots.txt", "/.well-known"]);
const ordinaryExitCodes: ReadonlySet<number | undefined> = new Set([0, 3]);

/** Longer than a round takes, the settle time and a scan included. */
const longestWaitMs = 60_000;
/** Rounds after which a mirror that is not equal will never be. */
const mostRounds = 50;

/** A crawler that comes again and again until it is told to stop. */
class Visitor {
  readonly #args: readonly string[];
  readonly #everyMs: number;
  #isStopping = false;
  #visits = 0;
  readonly #running: Promise<void>;

  constructor(args: readonly string[], everyMs: number) {
    this.#args = args;
    this.#everyMs = everyMs;
    this.#running = this.#run();
    // The error is for stop(); until then it is nobody's.
    this.#running.catch(() => {});
  }

  /** @returns how often it came */
  async stop(): Promise<number> {
    this.#isStopping = true;
    await this.#running;
    return this.#visits;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const dueMs = performance.now() + this.#everyMs;
      await visit(this.#args);
      this.#visits += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    }
  }
}

/** One visit. Pages that vanish or change while they are fetched are an ordinary day; anything else is not. */
async function visit(args: readonly string[]): Promise<void> {
  const { exitCode, stderr, stdout } = await runTidemark(args);
  if (!ordinaryExitCodes.has(exitCode)) throw new Error(`a visit ended with ${exitCode}: ${stderr}${stdout}`);
}

/**
 * Watches a site, changes it in a burst while a crawler visits it, and waits until the crawler's mirror equals it.
 *
 * @throws if the mirror does not come to equal the site
 */
export async function runWatchBurst(options: WatchBurstOptions): Promise<WatchBurstReport> {
  using temp = makeTempFolder("watch-burst");
  const docroot = join(temp.path, "docroot");
  mkdirSync(docroot);
  const site = new BurstSite(docroot, createRandom(options.seed));
  site.make(options.files);
  const { folders } = site;
  const progress = options.onProgress ?? (() => undefined);
  progress(`made ${options.files} files in ${folders} folders`);
  await using server = await startWebServer("nginx", docroot, { gzip: false });
  const { url } = server;
  const state = join(temp.path, "state");
  const watching: WatchingOptions = {
    docroot,
    url,
    state,
    options: options.options ?? [],
    under: options.under ?? [],
  };
  await using exporter = new WatchingExporter(watching);
  const stood = await exporter.next("the watches", ({ event }) => event.event === "watching");
  const first = await exporter.nextRound("the first publication");
  const residentMiB = exporter.residentMiB;
  const into = join(temp.path, "crawled");
  const crawlArgs = ["crawl", url, "--into", into, "--quiet", "--concurrency", "8"];
  const mirror = join(into, `127.0.0.1_${server.port}`);
  await visit(crawlArgs);
  progress("published and crawled");
  const roundsBefore = exporter.rounds.length;
  const visitor = new Visitor(crawlArgs, options.visitEveryMs ?? 1000);
  const burst = await site.burst(options.changes, options.burstMs);
  progress(`${options.changes} changes in ${Math.round(burst.tookMs)} ms`);
  let visits = 0;
  let differences: string[] = ["not looked yet"];
  for (let seen = roundsBefore; differences.length > 0; ) {
    // A round may have come while the mirror was brought up to date.
    const mending = `a round that mends ${differences.join("; ")}`;
    if (exporter.rounds.length === seen) await exporter.nextRound(mending, undefined, longestWaitMs);
    seen = exporter.rounds.length;
    if ((exporter.rounds.at(-1)?.atMs ?? 0) < burst.endedMs) continue;
    if (visits === 0) visits = await visitor.stop();
    visits += 1;
    await visit(crawlArgs);
    differences = compareTrees(docroot, mirror, ownOutput);
    progress(differences.length === 0 ? "the mirror is equal" : "the mirror is not equal yet");
    if (seen > roundsBefore + mostRounds) throw new Error(`still different: ${differences.join("; ")}`);
  }
  const rounds = exporter.rounds.slice(roundsBefore);
  const last = rounds.filter(({ event }) => event.published === true).at(-1);
  const report: WatchBurstReport = {
    folders,
    watchesMs: stood.atMs - exporter.startedMs,
    firstPublicationMs: first.atMs - exporter.startedMs,
    residentMiB,
    residentAfterMiB: exporter.residentMiB,
    peakMiB: exporter.peakMiB,
    burstMs: burst.tookMs,
    visits,
    delayMs: (last?.atMs ?? Number.NaN) - burst.endedMs,
    rounds: rounds.map(({ event }) => String(event.because)),
    warnings: exporter.warnings.map(({ code }) => String(code)),
  };
  const exitCode = await exporter.stop();
  if (exitCode !== 0 && exitCode !== 143) throw new Error(`the watch ended with ${exitCode}`);
  return report;
}
