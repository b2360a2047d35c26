import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, createRandom, type EpochMs, type ExportSummary } from "../core/index.ts";
import { crawlSite } from "../crawler/index.ts";
import { exportSite } from "../exporter/index.ts";
import { makeMissingFolder } from "../fs/index.ts";
import { serveFolder } from "../server/index.ts";
import { useDemoFolder } from "./demo-folder.ts";
import { checkVisit, type DemoCheck, type DemoEvent, type DemoReport, type DemoVisit } from "./report.ts";
import { SiteFolder } from "./site-folder.ts";
import { planRound, planSite } from "./site-plan.ts";
import { readTemplates } from "./site-text.ts";
import { Downloader, TrafficMeter } from "./traffic.ts";

/** What a demonstration may be told. */
export interface DemoOptions {
  /** Pages of the site, at least 100. Default 3000. */
  readonly pages?: number;
  /** Folder, empty or new, where site, state and mirror stay; without it nothing stays. */
  readonly keepFolder?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: DemoEvent) => void;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * Publishes and crawls a made-up site three times, one virtual day after the other: new, after changes, and after
 * nothing. Beside it, a poller and a downloader of everything visit the same server.
 *
 * @returns what each visit cost, and whether each promise held
 * @throws TidemarkError `not-found`, `bad-option` for the folder; `aborted`; what export and crawl throw
 */
export async function runDemonstration(options: DemoOptions = {}): Promise<DemoReport> {
  return await useDemoFolder(options.keepFolder, (folder) => demonstrate(folder, options));
}

async function demonstrate(folder: string, options: DemoOptions): Promise<DemoReport> {
  const startedMs = performance.now();
  const { pages = 3000, signal, onEvent = () => undefined } = options;
  const random = createRandom(2000);
  const plan = planSite(pages, random);
  const round = planRound(plan, random);
  const docroot = join(folder, "site");
  const site = new SiteFolder(docroot, await readTemplates());
  const meter = new TrafficMeter();
  await makeMissingFolder(docroot);
  await using server = await serveFolder({
    folder: docroot,
    onRequest: (entry) => meter.add(entry),
    ...(signal && { signal }),
  });
  const origin = new URL(server.url).origin;
  using poller = new Downloader(origin, true);
  using downloader = new Downloader(origin, false);
  const mirror = join(folder, "mirror");
  const visits: DemoVisit[] = [];
  const checks: DemoCheck[] = [];

  const visit = async (number: DemoVisit["visit"]): Promise<void> => {
    const clock = clockOfVisit(number);
    onEvent({ event: "step", message: `visit ${number}: exporting` });
    const exported = await exportSite({
      docroot,
      baseUrl: `${origin}/`,
      stateDir: join(folder, "state"),
      clock,
      ...(signal && { signal }),
    });
    onEvent({ event: "step", message: `visit ${number}: crawling` });
    const crawled = await crawlSite({ url: `${origin}/`, into: mirror, clock, ...(signal && { signal }) });
    const tidemark = await meter.take(crawled.requests);
    const paths = site.urlPaths;
    onEvent({ event: "step", message: `visit ${number}: polling` });
    const polling = await meter.take(await poller.visit(paths, signal));
    onEvent({ event: "step", message: `visit ${number}: downloading everything` });
    const everything = await meter.take(await downloader.visit(paths, signal));
    const found = { visit: number, ...changesOf(exported), traffic: { tidemark, polling, everything } };
    visits.push(found);
    onEvent({ event: "visit", ...found });
    for (const check of [...checkVisit(found), checkMirror(number, docroot, mirror, new URL(origin))]) {
      checks.push(check);
      onEvent({ event: "check", ...check });
    }
  };

  site.create(plan, changeTime(1));
  await visit(1);
  site.redeploy(round.restored, changeTime(2));
  site.apply(round, changeTime(2));
  await visit(2);
  await visit(3);
  return { visits, checks, elapsedMs: Math.round(performance.now() - startedMs) };
}

/** The clock of a visit: the third is now, each one before it a day earlier. */
function clockOfVisit(visit: number): Clock {
  return () => Date.now() - (3 - visit) * dayMs;
}

function changeTime(visit: number): EpochMs {
  return clockOfVisit(visit)() - hourMs;
}

function changesOf(summary: ExportSummary): Omit<DemoVisit, "visit" | "traffic"> {
  return {
    pages: summary.pages,
    changedPages: summary.published ? summary.created + summary.updated : 0,
    deletedPages: summary.deleted,
    touchedPages: summary.touched,
  };
}

function checkMirror(visit: DemoVisit["visit"], docroot: string, mirror: string, origin: URL): DemoCheck {
  const isOurs = (path: string): boolean => path === "robots.txt" || path.startsWith(".well-known/tidemark/");
  const copy = join(mirror, `${origin.hostname}_${origin.port}`);
  const { equal, unequal } = compareFolders(docroot, copy, isOurs);
  return {
    visit,
    promise: "the mirror equals the site, byte by byte",
    held: unequal.length === 0 && equal > 0,
    found: unequal.length === 0 ? `${equal} files` : `${unequal.length} files differ: ${unequal[0]}`,
  };
}

/**
 * Compares two folders byte by byte.
 *
 * @param isLeftOut - files that are not looked at, on either side
 * @returns how many files are equal, and the paths of the others
 */
export function compareFolders(
  left: string,
  right: string,
  isLeftOut: (path: string) => boolean,
): { readonly equal: number; readonly unequal: readonly string[] } {
  const list = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const paths = [...new Set([...list(left), ...list(right)])].filter((path) => !isLeftOut(path));
  const unequal = paths.filter((path) => {
    const [one, other] = [join(left, path), join(right, path)];
    return !(existsSync(one) && existsSync(other) && readFileSync(one).equals(readFileSync(other)));
  });
  return { equal: paths.length - unequal.length, unequal };
}
