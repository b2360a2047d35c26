import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { isWholePage } from "./churn.ts";
import { type CommandResult, startTidemark } from "./command.ts";
import { listFiles } from "./file-tree.ts";
import { checkKept } from "./kept-pages.ts";
import { createRandom, type Random } from "./random.ts";
import { TrialSite, trialKinds } from "./trial-site.ts";
import type { Run, Spacing } from "./visit-log.ts";

/** How crawls of many sites are killed. */
export interface KillSitesOptions {
  /** How many runs must have been killed before the end. */
  readonly times: number;
  readonly seed: number;
  /** Number of pages of all sites together. */
  readonly pages: number;
  readonly sites: number;
  /** Longest life of the runs that live for a time and not for a number of requests. */
  readonly withinMs: number;
  /** Of how many requests one goes wrong. */
  readonly troubleEvery: number;
  /** Called now and then with how far it is. */
  readonly onProgress?: (line: string) => void;
}

/** What the trial came to. */
export interface KillSitesReport {
  readonly killed: number;
  /** Runs that were over before their instant came. */
  readonly finished: number;
  /** Crawlers that were started beside another one and went away. */
  readonly rivals: number;
  readonly requests: number;
  /** Answers that went wrong on purpose. */
  readonly troubles: number;
  /** Answers with a Retry-After. */
  readonly told: number;
  /** Of those, the ones that were told to a run that was killed and kept by a later one. */
  readonly inherited: number;
  /** Files of mirrors that were looked at between the kills. */
  readonly looks: number;
  /** Pages of all sites at the end. */
  readonly pages: number;
  readonly changedSites: number;
}

interface Copy {
  readonly into: string;
  readonly keep: "mirror" | "warc";
  readonly sites: readonly TrialSite[];
}

const cleanExits: ReadonlySet<number | undefined> = new Set([0, 3, 6]);
const looksPerSite = 25;
const rounds = 8;

class SitesTrial {
  readonly #options: KillSitesOptions;
  readonly #random: Random;
  readonly #runs: Map<string, Run>;
  readonly #spacing: Spacing;
  readonly #copies: readonly Copy[];
  readonly #sites: readonly TrialSite[];
  #started = 0;
  #rivals = 0;
  #endRival: (() => void) | undefined;
  #looks = 0;
  #changed = 0;

  constructor(
    options: KillSitesOptions,
    parts: {
      readonly random: Random;
      readonly runs: Map<string, Run>;
      readonly spacing: Spacing;
      readonly copies: readonly Copy[];
    },
  ) {
    this.#options = options;
    this.#random = parts.random;
    this.#runs = parts.runs;
    this.#spacing = parts.spacing;
    this.#copies = parts.copies;
    this.#sites = parts.copies.flatMap(({ sites }) => sites);
  }

  async run(): Promise<KillSitesReport> {
    for (const site of this.#sites) site.isTroubled = true;
    let killed = 0;
    let finished = 0;
    while (killed < this.#options.times) {
      for (const site of this.#random.sample(this.#sites, 1 + this.#random.below(2))) await this.#change(site);
      const copy = this.#random.below(4) === 0 ? this.#copies[1] : this.#copies[0];
      if (copy === undefined) throw new TypeError("two copies are kept");
      if (await this.#runAndKill(copy)) killed++;
      else finished++;
      for (const site of this.#random.sample(copy.sites, 8)) this.#look(copy, site);
      this.#checkLogs();
      if ((killed + finished) % 20 === 0) this.#options.onProgress?.(this.#progress(killed, finished));
    }
    for (const site of this.#sites) site.isTroubled = false;
    for (const copy of this.#copies) await this.#finish(copy);
    const sum = (of: (site: TrialSite) => number): number => this.#sites.reduce((total, site) => total + of(site), 0);
    return {
      killed,
      finished,
      rivals: this.#rivals,
      requests: sum(({ log }) => log.requests),
      troubles: sum(({ troubles }) => troubles),
      told: sum(({ log }) => log.told),
      inherited: sum(({ log }) => log.inherited),
      looks: this.#looks,
      pages: sum(({ count }) => count),
      changedSites: this.#changed,
    };
  }

  #progress(killed: number, finished: number): string {
    const requests = this.#sites.reduce((sum, { log }) => sum + log.requests, 0);
    const seen = this.#sites.reduce((sum, site) => sum + site.seen.size, 0);
    return `killed ${killed}, finished ${finished}, ${requests} requests, ${seen} pages seen in mirrors`;
  }

  async #change(site: TrialSite): Promise<void> {
    this.#changed++;
    await site.change(0.02);
  }

  /** Most requests of a run: of one in ten as many as two sites have pages. */
  #drawRequests(): number {
    const pages = this.#options.pages / this.#options.sites;
    const kind = this.#random.below(10);
    return kind === 0 ? 2 * pages : kind < 4 ? pages / 2 : pages / 10;
  }

  #start(copy: Copy): { readonly run: Run; readonly command: ReturnType<typeof startTidemark> } {
    const run: Run = { name: `trial-${++this.#started}` };
    this.#runs.set(run.name, run);
    const { pagesBeforeRest, restMs } = this.#spacing;
    const urls = this.#random.sample(copy.sites, copy.sites.length).map(({ origin }) => `${origin}/`);
    const pace = [
      "--rest-on-loopback",
      "--rest",
      String(restMs / 1000),
      "--pages-before-rest",
      String(pagesBeforeRest),
    ];
    // One after the other, or several at a time in one store.
    const many = this.#random.below(2) === 0 ? [] : ["--connections", "6"];
    const args = ["crawl", ...urls, ...many, "--into", copy.into, "--keep", copy.keep, "--json", "--quiet", ...pace];
    return { run, command: startTidemark([...args, "--user-agent", run.name]) };
  }

  /** @returns whether it was killed and did not end before */
  async #runAndKill(copy: Copy): Promise<boolean> {
    const { run, command } = this.#start(copy);
    await once(command.child, "spawn");
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const killIn = (afterMs: number): void => {
      timer ??= setTimeout(() => {
        run.killedAt = Date.now();
        command.child.kill("SIGKILL");
      }, afterMs);
    };
    const how = this.#random.below(15);
    const requests = Math.ceil(this.#random.next() * this.#drawRequests());
    const afterMs = this.#random.next() * (how < 5 ? this.#options.withinMs : 30);
    let seen = 0;
    run.onRequest = () => {
      // A time from the first request on, or at a request; both hold on slow machines.
      if (++seen >= (how < 5 ? 1 : requests)) killIn(afterMs);
    };
    // Or while it starts.
    if (how === 0) killIn(afterMs);
    const meanwhile = this.#meanwhile(copy, run, { hasBegun: () => seen > 0, isOver: () => isOver });
    const ended = await command.result;
    isOver = true;
    this.#endRival?.();
    clearTimeout(timer);
    for (const { log } of this.#sites) log.died(run.name, Date.now());
    await meanwhile;
    if (ended.signal === "SIGKILL") return true;
    if (!cleanExits.has(ended.exitCode)) throw new Error(describeEnd("ended by itself", ended));
    return false;
  }

  /** While a run works, a site changes, or somebody starts a second crawl into the same folder. */
  async #meanwhile(
    copy: Copy,
    first: Run,
    { hasBegun, isOver }: { readonly hasBegun: () => boolean; readonly isOver: () => boolean },
  ): Promise<void> {
    const choice = this.#random.below(10);
    await wait(this.#random.next() * this.#options.withinMs);
    if (isOver() || first.killedAt !== undefined) return;
    if (choice < 3) for (const site of this.#random.sample(copy.sites, 1)) await this.#change(site);
    if (choice !== 3) return;
    // Whoever comes first has the folder.
    while (!hasBegun() && !isOver()) await wait(5);
    if (isOver()) return;
    const { run, command } = this.#start(copy);
    // If the first one dies before it comes, it may work.
    this.#endRival = () => {
      run.killedAt = Date.now();
      command.child.kill("SIGKILL");
    };
    const ended = await command.result;
    this.#endRival = undefined;
    for (const { log } of this.#sites) log.died(run.name, Date.now());
    if (ended.exitCode === 5) this.#rivals++;
    else if (!isOver()) throw new Error(describeEnd(`${run.name} beside another`, ended));
  }

  #look({ into, keep }: Copy, site: TrialSite): void {
    if (keep === "warc") return;
    const mirror = join(into, mirrorFolderOf(site.origin));
    if (!existsSync(mirror)) return;
    const files = listFiles(mirror);
    const encoded = new Set(files.map((file) => encodeURI(file)));
    for (const path of site.seen)
      if (!encoded.has(path)) throw new Error(`deleted, but it exists: ${site.kind} ${site.origin}${path}`);
    for (const path of encoded) if (site.body(path) !== undefined) site.seen.add(path);
    for (const file of this.#random.sample(files, looksPerSite)) {
      this.#looks++;
      if (!file.endsWith("index.html") && !isWholePage(join(mirror, file)))
        throw new Error(`no page of the site: ${join(mirror, file)}: ${readFileSync(join(mirror, file), "utf8")}`);
    }
  }

  #checkLogs(): void {
    const violations = this.#sites.flatMap(({ log }) => log.violations);
    if (violations.length > 0) throw new Error(violations.slice(0, 20).join("\n"));
  }

  /** Undisturbed visits, until all that vanished was missed. */
  async #finish(copy: Copy): Promise<void> {
    for (let round = 1; ; round++) {
      const { command } = this.#start(copy);
      const ended = await command.result;
      if (!cleanExits.has(ended.exitCode)) throw new Error(describeEnd("the last visit", ended));
      this.#checkLogs();
      const differences = await checkKept(copy.into, copy.keep, copy.sites);
      this.#options.onProgress?.(
        `${copy.keep}, visit ${round}: ${differences.length} differences, exit code ${ended.exitCode}`,
      );
      if (differences.length === 0) return;
      if (round === rounds) throw new Error(`not as the sites are: ${differences.slice(0, 20).join("; ")}`);
    }
  }
}

function describeEnd(what: string, ended: CommandResult): string {
  return `${what}: ${ended.exitCode ?? ended.signal}: ${ended.stderr}${ended.stdout.slice(-1000)}`;
}

/**
 * Kills crawls of many sites at random instants while the sites change and answer badly now and then.
 *
 * @returns what was done, once all promises were seen kept
 * @throws with the promise that was broken
 */
export async function killSites(options: KillSitesOptions): Promise<KillSitesReport> {
  using temp = makeTempFolder("kill-sites");
  const random = createRandom(options.seed);
  const runs = new Map<string, Run>();
  const pages = Math.ceil(options.pages / options.sites);
  const spacing = { pagesBeforeRest: Math.max(20, Math.ceil(pages / 3)), restMs: 1000 };
  const sites: TrialSite[] = [];
  try {
    for (let at = 0; at < options.sites; at++) {
      const kind = trialKinds[at % trialKinds.length] ?? "links";
      const { troubleEvery } = options;
      const shared = { folder: temp.path, pages, random, spacing, runs, troubleEvery };
      sites.push(await TrialSite.open(kind, `127.0.1.${at + 1}`, shared));
    }
    const mirrored = Math.ceil((options.sites * 3) / 4);
    const copies: Copy[] = [
      { into: join(temp.path, "mirrors"), keep: "mirror", sites: sites.slice(0, mirrored) },
      { into: join(temp.path, "warcs"), keep: "warc", sites: sites.slice(mirrored) },
    ];
    return await new SitesTrial(options, { random, runs, spacing, copies }).run();
  } finally {
    for (const site of sites) await site[Symbol.asyncDispose]();
  }
}
