import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { crawlSite, exportSite } from "../../src/index.ts";
import { serveFolder } from "../../src/server/folder-server.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { churn, listPages, makeSite } from "./churn.ts";
import { findCli } from "./command.ts";
import { compareTrees, digestOfFile } from "./file-tree.ts";
import { checkKept } from "./kept-pages.ts";
import { listLeftovers } from "./leftovers.ts";
import { type PublishedSet, readPublishedSet } from "./published-set.ts";
import { checkStandards } from "./published-standards.ts";
import { createRandom, type Random } from "./random.ts";
import { type PowerCut, powerCuts, SimulatedDisk } from "./simulated-disk.ts";
import { readSystemCalls, recordSystemCalls } from "./system-calls.ts";
import { TrialSite } from "./trial-site.ts";

/** How a trial by power cuts is run. */
export interface PowerOptions {
  /** How many states of the disk are opened by the next run. */
  readonly states: number;
  /** How many runs are recorded, each another change of the site. */
  readonly runs: number;
  readonly seed: number;
  /** Number of pages of the site. */
  readonly pages: number;
  /** Called now and then with how far it is. */
  readonly onProgress?: (line: string) => void;
}

/** What a trial came to. */
export interface PowerReport {
  readonly states: number;
  readonly runs: number;
  /** System calls of all recorded runs that changed the disk or made a change durable. */
  readonly calls: number;
}

interface State {
  readonly instant: number;
  readonly cut: PowerCut;
}

/** Runs the program under `strace`, also if a page of many could not be had, and gives the disk as it changed it. */
async function record(folder: string, trace: string, args: readonly string[]): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(folder);
  const { exitCode, output } = await recordSystemCalls(trace, [findCli(), ...args]);
  if (exitCode !== 0 && exitCode !== 3) throw new Error(`${args[0]} ended with ${exitCode}: ${output}`);
  disk.replay(await readSystemCalls(trace));
  return disk;
}

/** The simulation is as good as what it recorded: without a power cut it gives what lies on the real disk. */
function checkRecording(disk: SimulatedDisk, folder: string, copy: string, random: Random): void {
  disk.restore(copy, disk.instants.at(-1) ?? 0, "all", random);
  // Memory that processes share is not written by system calls, and no part of what is durable.
  const differences = [...compareTrees(folder, copy, new Set()), ...compareTrees(copy, folder, new Set())];
  const wrong = differences.filter((line) => !line.endsWith("-shm"));
  if (wrong.length > 0) throw new Error(`the recording is not whole: ${wrong.join("; ")}`);
}

function drawStates(disk: SimulatedDisk, count: number, random: Random): State[] {
  const { instants } = disk;
  // What is durable at the very end holds whatever is lost.
  const last = instants.at(-1) ?? 0;
  const all = instants.flatMap((instant) =>
    [...powerCuts, "any", "any"].map((cut) => ({ instant, cut: cut as PowerCut })),
  );
  const drawn = random.sample(all, count - 1);
  while (drawn.length < count - 1) drawn.push({ instant: instants[random.below(instants.length)] ?? last, cut: "any" });
  return [...drawn, { instant: last, cut: "nothing" }];
}

async function openStates(
  disk: SimulatedDisk,
  count: number,
  { options, random, done }: { readonly options: PowerOptions; readonly random: Random; readonly done: number },
  check: (state: State, seed: number) => Promise<void>,
): Promise<void> {
  for (const [index, state] of drawStates(disk, count, random).entries()) {
    const seed = random.below(2 ** 31);
    try {
      await check(state, seed);
    } catch (error) {
      const where = `after call ${state.instant}, ${state.cut} of what was not durable, draw ${seed}`;
      throw new Error(`power cut ${where}: ${(error as Error).message}`, { cause: error });
    }
    if ((done + index + 1) % 100 === 0) options.onProgress?.(`${done + index + 1} states`);
  }
}

function samePages(left: PublishedSet, right: PublishedSet): boolean {
  const text = ({ pages }: PublishedSet): string =>
    JSON.stringify([...pages.values()].sort((a, b) => (a.path < b.path ? -1 : 1)));
  return text(left) === text(right);
}

function checkPublished(docroot: string, set: PublishedSet): void {
  const files = listPages(docroot);
  if (files.length !== set.pages.size) throw new Error(`${set.pages.size} pages are published, ${files.length} exist`);
  for (const file of files) {
    const page = set.pages.get(encodeURI(file));
    const path = join(docroot, file);
    if (page?.digest !== digestOfFile(path) || page.sizeBytes !== statSync(path).size)
      throw new Error(`published otherwise than it is: ${file}`);
  }
  const leftovers = listLeftovers(docroot, (name) => name.length === 1);
  if (leftovers.length > 0) throw new Error(`left behind: ${leftovers.join(", ")}`);
}

/**
 * Records exports, cuts the power at instants of each, and opens what the disk may then hold: by a reader at once, who must
 * find the set before or the set after, whole; and by the next export, after which all is published and each
 * earlier reader has a chain to it.
 *
 * @throws with the promise that was broken
 */
export async function cutExports(options: PowerOptions): Promise<PowerReport> {
  using temp = makeTempFolder("power");
  const random = createRandom(options.seed);
  const folder = join(temp.path, "site");
  const docroot = join(folder, "docroot");
  const stateDir = join(folder, "state");
  mkdirSync(docroot, { recursive: true });
  makeSite(docroot, options.pages, random);
  await using server = await serveFolder({ folder: docroot });
  const url = `${server.url}/`;
  const settings = { segmentSize: 60, minGroup: 5, sitemap: true, resourceSync: true };
  const args = ["export", docroot, "--base-url", url, "--state", stateDir, "--quiet", "--sitemap", "--resourcesync"];
  const sizes = ["--segment-size", "60", "--min-group", "5"];
  const run = async (): Promise<void> => void (await exportSite({ docroot, baseUrl: url, stateDir, ...settings }));
  const seen: PublishedSet[] = [];
  for (let at = 0; at < 3; at++) {
    if (at > 0) churn(docroot, random, 0.05);
    await run();
    seen.push(await readPublishedSet(url, random, seen));
  }
  let calls = 0;
  for (let at = 0; at < options.runs; at++) {
    churn(docroot, random, at % 3 === 2 ? 0.6 : 0.05);
    const disk = await record(folder, join(temp.path, "trace"), [...args, ...sizes]);
    const copy = join(temp.path, "copy");
    checkRecording(disk, folder, copy, random);
    calls += disk.instants.length;
    const before = seen.at(-1);
    const after = await readPublishedSet(url, random, seen);
    if (before === undefined) throw new TypeError("nothing was published before");
    const count = Math.ceil(options.states / options.runs);
    await openStates(disk, count, { options, random, done: at * count }, async ({ instant, cut }, seed) => {
      const draw = createRandom(seed);
      disk.restore(folder, instant, cut, draw);
      const left = await readPublishedSet(url, draw, seen);
      if (!samePages(left, before) && !samePages(left, after)) throw new Error("the published set is mixed");
      await run();
      const next = await readPublishedSet(url, draw, [before, left]);
      if (next.index.epoch !== before.index.epoch) throw new Error("the state was lost: another epoch began");
      await checkStandards(url, next);
      checkPublished(docroot, next);
    });
    disk.restore(folder, disk.instants.at(-1) ?? 0, "all", random);
    seen.push(after);
  }
  return { states: options.runs * Math.ceil(options.states / options.runs), runs: options.runs, calls };
}

/** Where links lead nowhere, a page is given up after three visits, a second apart at least: it may still be there. */
const untilGone = /^(?:too many|remembered, but not there): links /;

/**
 * Records crawls, cuts the power at instants of each, and opens what the disk may then hold by the next crawls: they must end with
 * what the site has, each page once, in files and in the state.
 *
 * @throws with the promise that was broken
 */
export async function cutCrawls(options: PowerOptions): Promise<PowerReport> {
  using temp = makeTempFolder("power");
  const random = createRandom(options.seed);
  const spacing = { pagesBeforeRest: Number.MAX_SAFE_INTEGER, restMs: 0 };
  const runs = new Map();
  const folder = join(temp.path, "into");
  let calls = 0;
  const count = Math.ceil(options.states / options.runs);
  for (let at = 0; at < options.runs; at++) {
    const kind = at % 3 === 1 ? "links" : "archives";
    const keep = at % 4 >= 2 ? "warc" : "mirror";
    const shared = { folder: temp.path, pages: options.pages, random, spacing, runs, troubleEvery: 1 };
    await using site = await TrialSite.open(kind, `127.0.2.${at + 1}`, shared);
    const into = join(folder, String(at));
    const crawl = async (): Promise<void> => void (await crawlSite({ url: `${site.origin}/`, into, keep }));
    mkdirSync(into, { recursive: true });
    // The first visit is recorded as well.
    if (at % 4 !== 3) await crawl();
    await site.change(0.1);
    const args = ["crawl", `${site.origin}/`, "--into", into, "--keep", keep, "--quiet"];
    const disk = await record(into, join(temp.path, "trace"), args);
    checkRecording(disk, into, join(temp.path, "copy"), random);
    calls += disk.instants.length;
    await openStates(disk, count, { options, random, done: at * count }, async ({ instant, cut }, seed) => {
      disk.restore(into, instant, cut, createRandom(seed));
      await crawl();
      const differences = (await checkKept(into, keep, [site])).filter((line) => !untilGone.test(line));
      if (differences.length > 0) throw new Error(differences.slice(0, 5).join("; "));
    });
  }
  return { states: options.runs * count, runs: options.runs, calls };
}
