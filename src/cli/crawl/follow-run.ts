import { resolve } from "node:path";
import { type CrawlSummary, omitUndefined, TidemarkError } from "../../core/index.ts";
import type { FollowedSite } from "../../crawler/index.ts";
import {
  type CrawlSettings,
  type FollowDecision,
  type FollowedVisit,
  followSites,
  isFailedVisit,
} from "../../crawler/index.ts";
import { WatchedFiles } from "../../fs/index.ts";
import { printEvent, type RunContext } from "../terminal/command.ts";
import { reportError, reportSiteError } from "../terminal/error-report.ts";
import { type ExitCode, exitCodeOfVisit, exitCodes, worstExitCode } from "../terminal/exit-code.ts";
import { formatCrawlResult } from "./crawl-printer.ts";
import type { CrawlArguments } from "./crawl-run.ts";
import { FilesOnce, findCrawlSites } from "./crawl-run.ts";
import { addCrawlSummaries } from "./crawl-sum.ts";
import { FollowPrinter, formatDecided } from "./follow-printer.ts";

type FollowArguments = CrawlArguments & { readonly connections: number };

/** Crawls many sites at a time: each once, or for ever until a signal. */
export async function runFollow(options: FollowArguments, context: RunContext): Promise<ExitCode> {
  return await new FollowRun(options, context).run();
}

/** The one folder and state in which all sites are kept. */
function placeOf(sites: readonly CrawlSettings[]): { readonly into: string; readonly stateFile?: string } {
  const [first, ...others] = sites;
  if (first === undefined) throw new TidemarkError("bad-option", "No site is listed.");
  if (first.into === undefined)
    throw new TidemarkError("bad-option", "--into is missing.", { hint: "See `tidemark crawl --help`." });
  const placeText = ({ into, stateFile = "" }: CrawlSettings): string => `${resolve(into)}\n${stateFile}`;
  const other = others.find((site) => placeText(site) !== placeText(first));
  if (other === undefined) return { into: first.into, ...omitUndefined({ stateFile: first.stateFile }) };
  throw new TidemarkError("bad-option", `${other.url} is kept in another place than ${first.url}.`, {
    hint: "Sites that are crawled together have one folder and one state: give --into, and leave it out of the sites.",
  });
}

class FollowRun {
  readonly #options: FollowArguments;
  readonly #context: RunContext;
  readonly #printer: FollowPrinter;
  readonly #budgets = new Map<string, number | undefined>();
  #sum: CrawlSummary | undefined;
  #worst: ExitCode = exitCodes.done;
  #visits = 0;
  #failedVisits = 0;

  constructor(options: FollowArguments, context: RunContext) {
    this.#options = options;
    this.#context = context;
    this.#printer = new FollowPrinter(context.err, context.quiet);
  }

  async run(): Promise<ExitCode> {
    const { connections, isForever = false, sitesFile, configFile } = this.#options;
    const file = sitesFile ?? configFile;
    await using watched = new WatchedFiles();
    // Before it is read, so that no change after that is missed.
    if (isForever && file !== undefined) watched.follow([file]);
    const first = await findCrawlSites(this.#options);
    const place = placeOf(first);
    const { signal } = this.#context;
    const ended = new AbortController();
    try {
      await followSites({
        ...place,
        sites: this.#lists(first, watched, AbortSignal.any([signal, ended.signal])),
        isForever,
        connections,
        signal,
        onEvent: (event) => {
          printEvent(this.#context, event);
          this.#printer.show(event, this.#context.json);
        },
        onVisit: (visit) => this.#note(visit),
        onDecision: (told) => this.#tellDecision(told),
      });
    } finally {
      // Who waits for another list would keep the process from its end.
      ended.abort();
      this.#printer.end();
    }
    if (!isForever && signal.aborted)
      throw new TidemarkError("aborted", "Stopped before the end.", {
        hint: "Run the same command again: it goes on where it stopped.",
      });
    const sum = this.#sum ?? addCrawlSummaries([]);
    const { site: _, ...numbers } = sum;
    const { visits, failedVisits } = { visits: this.#visits, failedVisits: this.#failedVisits };
    const { json, quiet, out } = this.#context;
    if (json) out.writeJson({ event: "summary", visits, failedVisits, ...numbers });
    else if (!quiet && isForever) out.write(`${this.#printer.sum()}\n`);
    return isForever ? exitCodes.done : this.#worst;
  }

  /** The sites as the command line has them, and again whenever their file or a list of URLs has changed, until a signal. */
  async *#lists(
    first: readonly CrawlSettings[],
    watched: WatchedFiles,
    signal: AbortSignal,
  ): AsyncGenerator<readonly FollowedSite[], void, void> {
    const { sitesFile, configFile, isForever } = this.#options;
    const file = sitesFile ?? configFile;
    const { into, stateFile } = placeOf(first);
    const follow = (sites: readonly CrawlSettings[]): void => {
      const lists = sites.flatMap(({ urls }) => (urls === undefined || urls === "-" ? [] : [urls]));
      watched.follow(file === undefined ? lists : [file, ...lists]);
    };
    if (isForever) follow(first);
    yield await this.#prepare(first);
    if (!isForever) return;
    let sites = first;
    for (let changed = await watched.next(signal); changed !== undefined; changed = await watched.next(signal)) {
      try {
        if (file !== undefined && changed.includes(file)) {
          const listed = await findCrawlSites(this.#options);
          placeOf([{ ...first[0], into, ...omitUndefined({ stateFile }) } as CrawlSettings, ...listed]);
          sites = listed;
          follow(sites);
        }
        yield await this.#prepare(sites);
        for (const path of changed) this.#tellList(path, sites.length);
      } catch (error) {
        const { code, message } = reportError(error);
        if (code === "bug") throw error;
        // The list that was read before holds on.
        this.#warn("sites-file", message);
      }
    }
  }

  async #prepare(sites: readonly CrawlSettings[]): Promise<FollowedSite[]> {
    const files = new FilesOnce(this.#context.input);
    this.#budgets.clear();
    const prepared: FollowedSite[] = [];
    for (const site of sites) {
      if (site.budget !== undefined) this.#budgets.set(new URL(site.url).origin, site.budget);
      const { into: _, stateFile: __, ...options } = await files.readOf(site);
      prepared.push({ ...options, politeness: site });
    }
    return prepared;
  }

  #tellList(file: string, sites: number): void {
    const { json, out } = this.#context;
    if (json) out.writeJson({ event: "sites", file, sites });
    else this.#printer.say(`${file}: ${sites} sites`);
  }

  #warn(code: string, message: string): void {
    if (this.#context.json) this.#context.out.writeJson({ event: "warning", code, message });
    else this.#printer.say(`warning: ${message}`);
  }

  #tellDecision(told: FollowDecision): void {
    if ("refused" in told) {
      this.#warn("inbox", told.refused);
      return;
    }
    if (this.#context.json) this.#context.out.writeJson({ event: "decision", ...told });
    else this.#printer.say(`${told.site}: ${formatDecided(told)}`);
  }

  #note(visit: FollowedVisit): void {
    this.#visits++;
    this.#printer.note(visit);
    const { site, summary, nextAt } = visit;
    if (summary === undefined || isFailedVisit(summary)) this.#failedVisits++;
    if (summary === undefined) {
      this.#printer.end();
      this.#worsen(reportSiteError(visit.error, `${site}/`, this.#context));
      return;
    }
    this.#sum =
      this.#sum === undefined ? { ...summary, site: "" } : { ...addCrawlSummaries([this.#sum, summary]), site: "" };
    this.#worsen(exitCodeOfVisit(summary, this.#budgets.get(site)));
    const { json, quiet, out } = this.#context;
    const { isForever } = this.#options;
    if (json) out.writeJson({ event: "site-summary", ...summary, ...(isForever ? { nextMs: nextAt } : {}) });
    else if (!quiet && !isForever) out.write(formatCrawlResult(summary));
  }

  #worsen(code: ExitCode): void {
    this.#worst = worstExitCode([this.#worst, code]);
  }
}
