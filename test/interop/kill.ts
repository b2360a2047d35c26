import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isWholePage, listPages } from "./churn.ts";
import { type CommandResult, startTidemark } from "./command.ts";
import { digestOfFile, listFiles } from "./file-tree.ts";
import { listLeftovers } from "./leftovers.ts";
import { type PublishedSet, readPublishedSet } from "./published-set.ts";
import { checkStandards, readPublishedStandards } from "./published-standards.ts";
import { createRandom, type Random } from "./random.ts";
import { ServedSite } from "./served-site.ts";

/** How a trial by `kill -9` is run. */
export interface KillOptions {
  /** How many runs of each command must have been killed before the end. */
  readonly times: number;
  readonly seed: number;
  /** Number of pages of the site. */
  readonly pages: number;
  /** Called now and then with how far it is. */
  readonly onProgress?: (line: string) => void;
}

/** What a trial came to. */
export interface KillReport {
  readonly killed: number;
  /** Runs that were over before their instant came. */
  readonly finished: number;
  /** Longest instant that was drawn, in milliseconds. */
  readonly withinMs: number;
  /** Times that the checker read the whole published set. */
  readonly checks: number;
  /** Different publications that it saw. */
  readonly publications: number;
}

// Small segments and groups, so that a small site has many archives to be killed between.
export const exportOptions: readonly string[] = [
  "--segment-size",
  "150",
  "--min-group",
  "10",
  "--sitemap",
  "--resourcesync",
];

/** Reads the published set again and again until it is told to stop. */
class Checker {
  readonly #seen: PublishedSet[] = [];
  readonly #running: Promise<void>;
  #stopping = false;
  #checks = 0;
  #publications = 0;

  constructor(siteUrl: string, random: Random) {
    this.#running = this.#run(siteUrl, random);
    // The error is for stop(); until then it is nobody's.
    this.#running.catch(() => {});
  }

  async #run(siteUrl: string, random: Random): Promise<void> {
    while (!this.#stopping) {
      const set = await readPublishedSet(siteUrl, random, this.#seen);
      await readPublishedStandards(siteUrl);
      this.#checks += 1;
      if (this.#seen.at(-1)?.index.publication === set.index.publication) continue;
      this.#publications += 1;
      this.#seen.push(set);
      if (this.#seen.length > 20) this.#seen.splice(random.below(20), 1);
    }
  }

  async stop(): Promise<{ checks: number; publications: number }> {
    this.#stopping = true;
    await this.#running;
    return { checks: this.#checks, publications: this.#publications };
  }
}

function mustBeClean(result: CommandResult): void {
  if (result.signal === "SIGKILL" || result.exitCode === 0) return;
  throw new Error(
    `ended by itself with ${result.exitCode ?? result.signal}: ${result.stderr}${result.stdout.slice(-500)}`,
  );
}

/** Starts a command and kills it after so long, unless it ends before. */
async function runAndKill(args: readonly string[], afterMs: number): Promise<CommandResult> {
  const { child, result } = startTidemark(args);
  await once(child, "spawn");
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const ended = await result;
  clearTimeout(timer);
  mustBeClean(ended);
  return ended;
}

/** The docroot, the published files and nothing else: what was being written when a run died is gone. */
export async function checkSite(site: ServedSite): Promise<void> {
  const set = await site.read();
  await checkStandards(site.url, set);
  const files = listPages(site.docroot);
  const paths = new Set(files.map((file) => encodeURI(file)));
  for (const path of set.pages.keys()) if (!paths.has(path)) throw new Error(`published, but not there: ${path}`);
  for (const file of files) {
    const page = set.pages.get(encodeURI(file));
    const path = join(site.docroot, file);
    if (page?.digest !== digestOfFile(path) || page.sizeBytes !== statSync(path).size) {
      throw new Error(`published otherwise than it is, or left behind: ${file}`);
    }
  }
  const leftovers = listLeftovers(site.docroot, (name) => name.length === 1);
  if (leftovers.length > 0) throw new Error(`left behind: ${leftovers.join(", ")}`);
}

function checkMirrorFiles(site: ServedSite): void {
  if (!existsSync(site.mirror)) return;
  for (const path of listFiles(site.mirror)) {
    if (!isWholePage(join(site.mirror, path))) throw new Error(`not a whole page: ${path}`);
  }
}

async function measureMs(run: () => Promise<number>): Promise<number> {
  const times = [await run(), await run(), await run()].sort((a, b) => a - b);
  return times[1] ?? 0;
}

// Beyond the measured time, so that also a slow run's last steps, where the publication is decided, are hit.
const reachOfKills = 1.5;

async function killOften(
  options: KillOptions,
  withinMs: number,
  run: (afterMs: number) => Promise<CommandResult>,
  random: Random,
): Promise<{ killed: number; finished: number }> {
  let killed = 0;
  let finished = 0;
  while (killed < options.times) {
    const { signal } = await run(random.next() * reachOfKills * withinMs);
    if (signal === "SIGKILL") killed += 1;
    else finished += 1;
    if (finished > 3 * options.times + 10) throw new Error("the command is over long before it was measured to be");
    if ((killed + finished) % 20 === 0) options.onProgress?.(`killed ${killed}, finished ${finished}`);
  }
  return { killed, finished };
}

/** Makes a site, runs the body with a reader beside it all the time, and checks that all agrees in the end. */
export async function withTrial(
  options: KillOptions,
  body: (site: ServedSite) => Promise<{ killed: number; finished: number; withinMs: number }>,
): Promise<KillReport> {
  await using site = await ServedSite.open(options);
  await site.export(...exportOptions);
  const checker = new Checker(site.url, createRandom(options.seed + 1));
  let counts: Awaited<ReturnType<typeof body>> | undefined;
  try {
    counts = await body(site);
  } finally {
    // What the checker saw comes first: it explains the rest.
    await checker.stop();
  }
  const { checks, publications } = await checker.stop();
  await site.export(...exportOptions);
  await checkSite(site);
  await site.crawl();
  const differences = site.compareMirror();
  if (differences.length > 0) throw new Error(`the mirror differs: ${differences.join("; ")}`);
  return { ...counts, checks, publications };
}

/**
 * Kills exports at random instants while the site changes between them, with a reader beside it all the time.
 *
 * @returns what was done, once all promises were seen kept
 * @throws with the promise that was broken
 */
export async function killExports(options: KillOptions): Promise<KillReport> {
  return await withTrial(options, async (site) => {
    const measured = async (): Promise<number> => {
      site.change(0.03);
      return (await site.export(...exportOptions)).elapsedMs;
    };
    const withinMs = await measureMs(measured);
    const run = async (afterMs: number): Promise<CommandResult> => {
      site.change(0.03);
      return await runAndKill([...site.exportArguments, ...exportOptions], afterMs);
    };
    return { ...(await killOften(options, withinMs, run, site.random)), withinMs };
  });
}

/** Kills crawls at random instants, the site changing between them. See {@link killExports}. */
export async function killCrawls(options: KillOptions): Promise<KillReport> {
  return await withTrial(options, async (site) => {
    await site.crawl();
    const prepare = async (): Promise<void> => {
      site.change(0.3);
      await site.export(...exportOptions);
    };
    const withinMs = await measureMs(async () => {
      await prepare();
      return (await site.crawl()).elapsedMs;
    });
    const run = async (afterMs: number): Promise<CommandResult> => {
      await prepare();
      const result = await runAndKill(
        ["crawl", site.url, "--into", site.into, "--json", "--concurrency", "2"],
        afterMs,
      );
      checkMirrorFiles(site);
      return result;
    };
    return { ...(await killOften(options, withinMs, run, site.random)), withinMs };
  });
}
