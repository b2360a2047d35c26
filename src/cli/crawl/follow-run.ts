import { resolve } from "node:path";
import { type CrawlEvent, type CrawlSummary, omitUndefined, TidemarkError } from "../../core/index.ts";
import {
  type CrawlSettings,
  type FollowDecision,
  type FollowedSite,
  type FollowedVisit,
  followSites,
  isFailedVisit,
  pagesOf,
  parseCrawlAddress,
} from "../../crawler/index.ts";
import { WatchedFiles } from "../../fs/index.ts";
import type { FollowerServer } from "../../server/index.ts";
import { EventExchange } from "../../share/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import {
  type ExitCode,
  exitCodeOfVisit,
  exitCodes,
  reportError,
  reportSiteError,
  worstExitCode,
} from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatNoun } from "../terminal/quantity.ts";
import { addCrawlSummaries, FailedPages, formatCrawlResult, formatDecided } from "./crawl-printer.ts";
import { type CrawlArguments, FilesOnce, findCrawlSites } from "./crawl-run.ts";
import { planExchange } from "./plan-exchange.ts";

/** Crawls many sites at a time: each once, or for ever until a signal. */
export async function runFollow(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  return await new FollowRun(options, context).run();
}

/** The one folder and state in which all sites are kept. */
function placeOf(sites: readonly CrawlSettings[]): { readonly into: string; readonly stateFile?: string } {
  const [first, ...others] = sites;
  if (first === undefined) throw new TidemarkError("bad-option", "The list has no site.");
  if (first.into === undefined)
    throw new TidemarkError("bad-option", "--into is missing.", { hint: "See `tidemark crawl --help`." });
  const placeText = ({ into, stateFile = "" }: CrawlSettings): string => `${resolve(into)}\n${stateFile}`;
  const other = others.find((site) => placeText(site) !== placeText(first));
  if (other === undefined) return { into: first.into, ...omitUndefined({ stateFile: first.stateFile }) };
  throw new TidemarkError("bad-option", `${other.url} has another folder or state than ${first.url}.`, {
    hint: "Sites that are crawled together share one folder and one state: give --into, and leave it out of the sites.",
  });
}

class FollowRun {
  readonly #options: CrawlArguments;
  readonly #context: RunContext;
  readonly #progress: ProgressLine;
  readonly #failed = new FailedPages((line) => this.#progress.say(line));
  readonly #budgets = new Map<string, number | undefined>();
  /** Remarks about addresses, each told once, however often the list is read. */
  readonly #told = new Set<string>();
  #sum: CrawlSummary = addCrawlSummaries([]);
  #worst: ExitCode = exitCodes.done;
  #exchange: EventExchange | undefined;
  #visits = 0;
  #failedVisits = 0;

  constructor(options: CrawlArguments, context: RunContext) {
    this.#options = options;
    this.#context = context;
    this.#progress = new ProgressLine(context.err, context.quiet);
  }

  async run(): Promise<ExitCode> {
    const { connections, isForever = false, sitesFile, configFile } = this.#options;
    const file = sitesFile ?? configFile;
    await using watched = new WatchedFiles();
    // Before it is read, so that no change after that is missed.
    if (isForever && file !== undefined) watched.follow([file]);
    const first = await this.#findSites();
    const { signal } = this.#context;
    const ended = new AbortController();
    const place = placeOf(first);
    const exchange = isForever ? this.#makeExchange(place, first[0]) : undefined;
    await using server = isForever ? await this.#serve(first, place.into) : undefined;
    this.#exchange = exchange;
    const following = followSites({
      ...place,
      ...(exchange === undefined ? {} : exchange.means),
      sites: this.#lists(first, watched, AbortSignal.any([signal, ended.signal])),
      isForever,
      ...omitUndefined({ connections }),
      signal,
      onEvent: (event) => this.#show(event),
      onVisit: (visit) => this.#note(visit),
      onDecision: (told) => this.#tellDecision(told),
      onStatus: (status) => server?.show(status),
    });
    // Who waits for another list would keep the process from its end.
    await this.#progress.during(following.finally(() => ended.abort()));
    if (!isForever && signal.aborted)
      throw new TidemarkError("aborted", "Stopped before the end.", {
        hint: "Run the same command again: it continues where it stopped.",
      });
    const { site: _, ...numbers } = this.#sum;
    const summary = { visits: this.#visits, failedVisits: this.#failedVisits, ...numbers };
    printSummary(this.#context, summary, () => (isForever ? `${this.#formatSum()}\n` : ""));
    return isForever ? exitCodes.done : this.#worst;
  }

  #makeExchange(
    { into, stateFile = into }: { readonly into: string; readonly stateFile?: string },
    { userAgent, ...settings }: Partial<CrawlSettings> = {},
  ): EventExchange | undefined {
    const exchange = planExchange(settings, (message) => {
      throw new TidemarkError("bad-option", message, {
        hint: "See `tidemark crawl --help`. What `defaults` of a configuration file has counts too.",
      });
    });
    if (exchange === undefined) return undefined;
    const { share, ...merging } = exchange;
    const moniker = userAgent ?? `tidemark/${packageVersion()}`;
    return new EventExchange({
      ...{ ...merging, ...omitUndefined({ userAgent, allowPrivate: settings.allowPrivate }) },
      ...(share === undefined ? {} : { share: { ...share, from: stateFile, moniker } }),
      onMerge: ({ problem, ...merge }) => {
        printEvent(this.#context, { event: "merge", ...merge, problem });
        if (problem !== undefined) this.#warn("merge", `${merge.peer}: ${problem}`);
      },
      onShare: ({ events, files }) => printEvent(this.#context, { event: "share", events, files }),
      onShareFailed: ({ message }) => this.#warn("share", message),
    });
  }

  /** Serves metrics and a page, if that is wanted. */
  async #serve([first]: readonly CrawlSettings[], into: string): Promise<FollowerServer | undefined> {
    if (first?.listen === undefined) return undefined;
    const { serveStatus } = await import("./status-server.ts");
    const server = await serveStatus({ ...first, listen: first.listen }, into);
    const { url, port } = server;
    printEvent(this.#context, { event: "listening", url, port });
    if (!this.#context.json) this.#progress.say(`metrics at ${url}/metrics, a page at ${url}/`);
    return server;
  }

  async #findSites(): Promise<CrawlSettings[]> {
    const sites = await findCrawlSites(this.#options);
    for (const { url } of sites)
      parseCrawlAddress(url, (event) => {
        if (event.event !== "warning" || this.#told.has(event.message)) return;
        this.#told.add(event.message);
        this.#show(event);
      });
    return sites;
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
          const listed = await this.#findSites();
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
    else this.#progress.say(`${file}: ${formatNoun(sites, "site")}`);
  }

  #show(event: CrawlEvent): void {
    printEvent(this.#context, event);
    if (this.#context.json) return;
    if (event.event === "warning") this.#progress.say(`warning: ${event.site}: ${event.message}`);
    else this.#failed.take(event);
  }

  #warn(code: string, message: string): void {
    printEvent(this.#context, { event: "warning", code, message });
    if (!this.#context.json) this.#progress.say(`warning: ${message}`);
  }

  #tellDecision(told: FollowDecision): void {
    if ("refused" in told) {
      this.#warn("inbox", told.refused);
      return;
    }
    printEvent(this.#context, { event: "decision", ...told });
    if (!this.#context.json) this.#progress.say(`${told.site}: ${formatDecided(told)}`);
  }

  #note({ site, summary, error, nextAt, sites, open, due }: FollowedVisit): void {
    this.#visits++;
    if (summary === undefined || isFailedVisit(summary)) this.#failedVisits++;
    if (summary === undefined) {
      this.#progress.clear();
      this.#worsen(reportSiteError(error, `${site}/`, this.#context));
      return;
    }
    this.#sum = { ...addCrawlSummaries([this.#sum, summary]), site: "" };
    this.#exchange?.noteVisit({
      ...{ site, requests: summary.requests, pages: pagesOf(summary), seconds: summary.elapsedMs / 1000 },
      changes: summary.created + summary.updated + summary.deleted,
    });
    this.#progress.show(
      () => `${formatNoun(sites, "site")}, ${formatCount(open)} open, ${formatCount(due)} due: ${this.#formatSum()}`,
    );
    // It is gone on with.
    if (summary.isCutShort !== true) this.#worsen(exitCodeOfVisit(summary, this.#budgets.get(site)));
    const { json, quiet, out } = this.#context;
    const { isForever } = this.#options;
    if (json) out.writeJson({ event: "site-summary", ...summary, ...(isForever ? { nextMs: nextAt } : {}) });
    else if (!quiet && !isForever) out.write(formatCrawlResult(summary));
  }

  /** What all visits came to. */
  #formatSum(): string {
    const { requests, created, updated, deleted, pageBytes, metadataBytes, packageBytes } = this.#sum;
    const failed = this.#failedVisits === 0 ? "" : ` (${formatCount(this.#failedVisits)} failed)`;
    return (
      `${formatNoun(this.#visits, "visit")}${failed}, ${formatNoun(requests, "request")}, ` +
      `${formatNoun(created + updated + deleted, "change")}, ${formatBytes(pageBytes + metadataBytes + packageBytes)}`
    );
  }

  #worsen(code: ExitCode): void {
    this.#worst = worstExitCode([this.#worst, code]);
  }
}
