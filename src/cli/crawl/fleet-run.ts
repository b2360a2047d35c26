import { readFileSync } from "node:fs";
import { type CrawlEvent, omitUndefined, TidemarkError, wrapSystemError } from "../../core/index.ts";
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
import { LinkLog, stateVersion } from "../../storage/index.ts";
import { printEvent, printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { packageVersion } from "../terminal/package-version.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatBytes, formatCount, formatElapsed, formatNoun } from "../terminal/quantity.ts";
import { type CrawlArguments, FilesOnce, findCrawlSites } from "./crawl-run.ts";

const defaultVisits = { sites: 128, web: 64 } as const;

/** How a crawl takes part in a fleet. */
export interface FleetArguments {
  /** `postgres://...`, or a file. */
  readonly fleet: string;
  readonly worker?: string;
  readonly leaseMs?: number;
  readonly nameServers?: readonly string[];
  readonly lookups?: number;
}

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
  const onEvent = (event: CrawlEvent): void => {
    printEvent(context, event);
    if (event.event === "item-error") progress.say(`failed: ${event.site}${event.path}: ${event.message}`);
  };
  const crawl =
    web === undefined ? await planSites(options, context, onEvent) : await planWeb(options, context, onEvent);
  using place = openWorkerPlace(into, given.worker);
  const { name, scratch } = place;
  const { leaseMs = 60_000 } = given;
  await using fleet = await openFleet(given.fleet, {
    ...{ worker: name, version: packageVersion(), leaseMs, stateVersion },
  });
  await using links = web === undefined ? undefined : new LinkLog(place.links, { clock: Date.now });
  const startedAt = performance.now();
  const worker = new FleetWorker({
    ...crawl,
    ...{ fleet, scratch, links, isForever, signal: context.signal },
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
  return worker.counts.failed + worker.counts.failedVisits > 0 ? exitCodes.itemsFailed : exitCodes.done;
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
  const files = new FilesOnce(context.input);
  const listed = await findCrawlSites(options);
  const sites: FollowedSite[] = [];
  const politenessOf = new Map<string, PolitenessOptions>();
  for (const site of listed) {
    const { into: _, stateFile: __, ...given } = await files.readOf(site);
    politenessOf.set(new URL(site.url).origin, site);
    sites.push({ ...given, keep: keepOf(site), politeness: site });
  }
  const [first] = listed;
  return {
    createVisitor: (means) => new LeasedList(sites, means, onEvent),
    politeness: first ?? {},
    politenessOf,
    visitsAtOnce: options.connections ?? defaultVisits.sites,
  };
}

async function planWeb(
  options: CrawlArguments,
  _: RunContext,
  onEvent: (event: CrawlEvent) => void,
): Promise<FleetCrawl> {
  const { web, settings, connections } = options;
  if (web === undefined) throw new TypeError("a crawl of the Web has seeds");
  const { seedsFile, ...choices } = web;
  const seeds = await readSeeds(seedsFile);
  const { ca, identity, order: __, into = "", ...others } = settings;
  const texts = omitUndefined({ ca: readText(ca, "certificates"), identity: readText(identity, "identity") });
  const crawl: CrawlWebOptions = {
    ...{ ...others, ...texts, ...choices, into, seeds, keep: keepOf(settings) },
    onEvent: (event) => {
      if (event.event !== "web-progress" && event.event !== "web-batch") onEvent(event);
    },
  };
  return {
    createVisitor: (means) => new LeasedWeb(crawl, means),
    politeness: settings,
    visitsAtOnce: connections ?? defaultVisits.web,
  };
}

function keepOf({ keep = "metadata" }: Partial<CrawlSettings>): "metadata" {
  if (keep === "metadata") return keep;
  throw new TidemarkError(
    "bad-option",
    `A fleet does not keep pages as ${keep}: several workers would write to one folder.`,
    {
      hint: "Use --keep none.",
    },
  );
}

function readText(file: string | undefined, what: string): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read the ${what} ${file}`, { file });
  }
}
