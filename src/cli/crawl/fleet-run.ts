import { type CrawlEvent, omitUndefined, TidemarkError } from "../../core/index.ts";
import {
  type CrawlSettings,
  type CrawlSiteOptions,
  type CrawlWebOptions,
  type FollowedSite,
  LeasedList,
  type LeasedMeans,
  type LeasedVisitor,
  LeasedWeb,
  type PolitenessOptions,
  readSeeds,
} from "../../crawler/index.ts";
import { FleetWorker, openFleet, openWorkerPlace, type WorkerCounts } from "../../fleet/index.ts";
import { LinkLog, openObjects, stateVersion } from "../../storage/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";
import { FailedPages } from "./crawl-printer.ts";
import { type CrawlArguments, FilesOnce, findCrawlSites } from "./crawl-run.ts";
import { readFile } from "./web-run.ts";

/** How long a database that cannot be reached is waited for. */
const patienceMs = 600_000;
const defaultRestMs = 15_000;
/** A turn of pages of the Web does not wait for a site in its place among the open ones: the site comes again. */
const maxWaitMs = 1000;
const defaultVisits = { sites: 128, web: 64 } as const;

interface FleetCrawl {
  readonly createVisitor: (means: LeasedMeans) => LeasedVisitor;
  readonly politeness: PolitenessOptions;
  readonly politenessOf?: ReadonlyMap<string, PolitenessOptions>;
  readonly visitsAtOnce: number;
}

/** Takes part in a crawl of many machines as a worker. */
export async function runFleetCrawl(options: CrawlArguments, context: RunContext): Promise<ExitCode> {
  const { fleet: given, settings, isForever = false, web } = options;
  const { into } = settings;
  if (given === undefined || into === undefined) throw new TypeError("a worker has a fleet and a folder");
  const progress = new ProgressLine(context.err, context.quiet);
  const seeds = web === undefined ? undefined : await readSeeds(web.seedsFile);
  const named = seeds && new Set(seeds.map((seed) => new URL(seed).origin));
  const failed = new FailedPages((line) => progress.say(line));
  let isSeedLost = false;
  const onEvent = (event: CrawlEvent): void => {
    printEvent(context, event);
    if (event.event === "warning" && event.code === "site-unreachable" && named?.has(event.site)) isSeedLost = true;
    if (context.json) return;
    // Of the sites that links lead to many are not there; who named one may have mistyped it.
    if (event.event === "warning" && (named === undefined || named.has(event.site)))
      progress.say(`warning: ${event.site}: ${event.message}`);
    else failed.take(event);
  };
  const crawl = seeds === undefined ? await planSites(options, context, onEvent) : planWeb(options, seeds, onEvent);
  using place = openWorkerPlace(into, given.worker);
  const { name, scratch } = place;
  const { leaseMs = 60_000 } = given;
  await using fleet = await openFleet(given.fleet, {
    ...{ worker: name, version: packageVersion(), leaseMs, stateVersion, retryMs: patienceMs },
    // Who visits a site after a worker died does not know how many requests of a turn were made.
    delayMs: crawl.politeness.restMs ?? defaultRestMs,
    signal: context.signal,
    onWait: (why) => progress.say(`${why}; waiting`),
  });
  const objects = settings.objects === undefined ? undefined : await openObjects(settings.objects);
  await using links = web === undefined ? undefined : new LinkLog(place.links, { clock: Date.now });
  const startedAt = performance.now();
  const worker = new FleetWorker({
    ...crawl,
    ...{ fleet, scratch, objects, links, isForever, signal: context.signal },
    ...omitUndefined({ nameServers: given.nameServers, lookups: given.lookups }),
    onVisit: ({ site, counts, error, isLost }) => {
      if (isLost) progress.say(`${site}: the lease was lost; another worker visits it`);
      else if (error !== undefined) progress.say(`${site}: ${error instanceof Error ? error.message : String(error)}`);
      printEvent(context, { event: "site-visit", site, ...counts, ...(isLost ? { isLost } : {}) });
    },
    onProgress: (counts) => progress.show(() => formatWorker(counts)),
  });
  await progress.during(worker.run());
  const elapsedMs = Math.round(performance.now() - startedAt);
  const summary = { worker: name, ...worker.counts, elapsedMs };
  printSummary(context, summary, () => `${formatWorker(worker.counts)}, ${formatElapsed(elapsedMs)}\n`);
  if (!isForever && context.signal.aborted)
    throw new TidemarkError("aborted", "Stopped before the end.", {
      hint: "Run the same command again, here or elsewhere: the fleet goes on where it stopped.",
    });
  return isSeedLost || worker.counts.failed + worker.counts.failedVisits > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

function formatWorker(counts: WorkerCounts): string {
  const { open, visits, created, updated, failed, lost, pageBytes } = counts;
  const failures = failed === 0 ? "" : ` (${formatCount(failed)} failed)`;
  const losses = lost === 0 ? "" : `, ${formatNoun(lost, "lost lease")}`;
  return `${formatNoun(open, "site")} held, ${formatNoun(visits, "visit")}, ${formatNoun(created + updated, "page")}${failures}${losses}, ${formatBytes(pageBytes)}`;
}

async function planSites(
  options: CrawlArguments,
  context: RunContext,
  onEvent: CrawlSiteOptions["onEvent"],
): Promise<FleetCrawl> {
  const { settings } = options;
  const { into = "" } = settings;
  const files = new FilesOnce(context.input);
  const listed = await findCrawlSites(options);
  const sites: FollowedSite[] = [];
  const politenessOf = new Map<string, PolitenessOptions>();
  const prepare = async (site: CrawlSettings): Promise<FollowedSite> => {
    const { into: _, stateFile: __, ...given } = await files.readOf(site);
    return { ...given, politeness: site };
  };
  for (const site of listed) {
    checkKeep(site, settings);
    politenessOf.set(new URL(site.url).origin, site);
    sites.push(await prepare(site));
  }
  const othersOf = (url: string): Promise<FollowedSite> => prepare({ ...settings, into, url });
  return {
    createVisitor: (means) => new LeasedList(sites, othersOf, means, onEvent),
    politeness: settings,
    politenessOf,
    visitsAtOnce: options.connections ?? defaultVisits.sites,
  };
}

function planWeb(options: CrawlArguments, seeds: readonly string[], onEvent: (event: CrawlEvent) => void): FleetCrawl {
  const { web, settings, connections } = options;
  checkKeep(settings, settings);
  if (web === undefined) throw new TypeError("a crawl of the Web has seeds");
  const { seedsFile: _, ...choices } = web;
  const { ca, identity, order: __, into = "", ...others } = settings;
  const texts = omitUndefined({ ca: readFile(ca, "certificates"), identity: readFile(identity, "identity") });
  const crawl: CrawlWebOptions = {
    ...{ ...others, ...texts, ...choices, into, seeds },
    onEvent: (event) => {
      if (event.event !== "web-progress" && event.event !== "web-batch") onEvent(event);
    },
  };
  return {
    createVisitor: (means) => new LeasedWeb(crawl, means),
    politeness: { ...settings, maxWaitMs },
    visitsAtOnce: connections ?? defaultVisits.web,
  };
}

/** Several workers keep the pages of a site, one after the other. */
function checkKeep({ keep, objects }: Partial<CrawlSettings>, whole: Partial<CrawlSettings>): void {
  if (objects !== whole.objects || keep !== whole.keep)
    throw new TidemarkError("bad-option", "A fleet keeps the pages of all sites in one way.", {
      hint: "Give --keep and --objects on the command line, and leave them out of the sites.",
    });
  if (keep === "metadata" || keep === "objects") return;
  throw new TidemarkError(
    "bad-option",
    "A fleet keeps no pages in folders of sites, which several workers would write to.",
    {
      hint: "Use --keep objects --objects ADDRESS, or --keep none.",
    },
  );
}
