import { resolve } from "node:path";
import {
  type ExportEvent,
  type ExportSummary,
  TidemarkError,
  type WithholdRule,
  wrapSystemError,
} from "../core/index.ts";
import { checkSignificant, compileContentRules } from "../formats/html/index.ts";
import { mayInclude } from "./digest/page-scanner.ts";
import {
  checkCount,
  checkDigestMode,
  checkFolderLinks,
  checkIncludeMode,
  checkIoLimit,
  checkOutside,
  checkPrevious,
  parseBaseUrl,
  refuseDigestMode,
} from "./export-checks.ts";
import { runExport } from "./export-run.ts";
import type { ExportSiteOptions } from "./export-settings.ts";
import { RunRecord } from "./last-run.ts";
import type { SiteLists, SiteListsOptions } from "./lists/site-lists.ts";
import { NameCheck } from "./naming/name-check.ts";
import type { SiteParts } from "./publish/site-parts.ts";
import { chooseStandards, readSiteRules, stateDirOf } from "./site-rules.ts";
import { filesOf, openParts, openSite, readPage } from "./site-sources.ts";
import { NewlyWithheld } from "./walk/newly-withheld.ts";
import { judgePathNames } from "./walk/path-rules.ts";

/** Changed pages whose canonical URLs are read, and how many if reading is limited. */
const namedPages = 128;
const fewNamedPages = 8;

/**
 * Publishes the pages of a site and their changes since the last export, as static files below its document root that
 * crawlers find from robots.txt.
 *
 * Memory does not grow with the site. If it is killed, the published files stay as they were or are complete.
 *
 * @returns the summary; `published` is false if nothing had changed, and then nothing was written
 * @throws TidemarkError with `code` and `hint`; see docs/cli.md
 * @example
 * ```ts
 * const summary = await exportSite({ docroot: "/var/www/html", baseUrl: "https://example.org/" });
 * console.log(`${summary.updated} pages changed`);
 * ```
 */
export async function exportSite(options: ExportSiteOptions): Promise<ExportSummary> {
  return await exportRecorded(options, "export");
}

/** What a round of a watch knows already. */
export interface RoundScope {
  /** The parts that may have changed; undefined for the whole site. */
  readonly parts: SiteParts | undefined;
  /** What robots.txt holds: the export goes by it, whatever is written meanwhile. Default: the export reads it. */
  readonly robots?: Uint8Array;
}

/**
 * Exports the changes in some parts of a site, as a watch does. A site with mapped folders is always exported as a
 * whole.
 */
export async function exportRound(options: ExportSiteOptions, scope: RoundScope): Promise<ExportSummary> {
  return await exportRecorded(options, "watch", scope);
}

async function exportRecorded(
  options: ExportSiteOptions,
  kind: "export" | "watch",
  scope?: RoundScope,
): Promise<ExportSummary> {
  const { clock = Date.now, onEvent, segmentSize = 2000 } = options;
  if (options.dryRun === true) return await exportUnrecorded(options, scope);
  const site = parseBaseUrl(options.baseUrl);
  const docroot = resolve(options.docroot);
  const robotsDir = resolve(options.robotsDir ?? docroot);
  const stateDir = stateDirOf(options);
  const record = new RunRecord({ site, docroot, robotsDir, stateDir, segmentSize, clock, kind });
  let summary: ExportSummary;
  try {
    const told = (event: ExportEvent): void => {
      record.add(event);
      onEvent?.(event);
    };
    summary = await exportUnrecorded({ ...options, onEvent: told }, scope);
  } catch (error) {
    await record.fail(error);
    throw error;
  }
  try {
    await record.succeed(summary);
    return summary;
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
    const message = `All is published, but the record of this run could not be kept: ${error.message}`;
    onEvent?.({ event: "warning", code: error.code, message });
    return { ...summary, warnings: summary.warnings + 1 };
  }
}

async function exportUnrecorded(options: ExportSiteOptions, scope?: RoundScope): Promise<ExportSummary> {
  const parts = scope?.parts;
  const clock = options.clock ?? Date.now;
  const startedMs = clock();
  const site = parseBaseUrl(options.baseUrl);
  const { docroot, robotsDir, judgePath, globs, reader, servedNames, roots } = await readSiteRules(
    options,
    scope?.robots,
  );
  const stateDir = stateDirOf(options);
  for (const folder of [docroot, ...roots.map((root) => root.folder)]) checkOutside(stateDir, folder);
  const tally = new EventTally(options.onEvent);
  const digestMode = checkDigestMode(options.digest ?? "all");
  const rules = await compileContentRules({
    ignore: options.ignore ?? [],
    isSketched: options.significant !== undefined,
  });
  if (rules !== undefined && digestMode !== "all")
    refuseDigestMode("--ignore and --significant need a digest of every page", digestMode);
  const folderLinks = checkFolderLinks(options.folderLinks);
  const includes = checkIncludeMode(options.ssi ?? "auto", digestMode);
  const significant = checkSignificant(options.significant);
  const ioLimitBytesPerSecond = checkIoLimit(options.ioLimit);
  const { signal, allowEmpty = false, dryRun = false } = options;
  const origin = site.slice(0, -1);
  const { onEvent } = tally;
  await using lists = await openLists({
    choices: options,
    origin,
    stateDir,
    dryRun,
    allowEmpty,
    judgePath: (path) => judgePath(path) ?? judgePathNames(path, globs, "listed"),
    clock,
    signal,
    onEvent,
  });
  const newlyWithheld = new NewlyWithheld({
    globs,
    roots: [{ prefix: "/", folder: docroot }, ...roots],
    hasLists: lists !== undefined,
  });
  const names = new NameCheck({
    site,
    locate: (path) => filesOf(docroot, roots, servedNames, path),
    pages: ioLimitBytesPerSecond === undefined ? namedPages : fewNamedPages,
  });
  const findsNoindex = options.noindexPages !== true;
  const walk = { docroot, globs, reader, judgePath, onEvent, folderLinks, ...(servedNames && { servedNames }) };
  const digests = { rules, ioLimitBytesPerSecond, findsNoindex, includes, signal };
  const indexSegments = servedNames?.indexSegments ?? [];
  const sources = { walk, roots, robotsDir, lists, digests, indexSegments };
  const summary = await runExport({
    site,
    docroot,
    stateDir,
    robotsDir,
    segmentSize: checkCount(options.segmentSize ?? 2000, "--segment-size"),
    minGroup: checkCount(options.minGroup ?? 50, "--min-group"),
    digestMode,
    content: rules === undefined ? undefined : { ...rules, significant },
    includes:
      includes === "off" ? undefined : { mode: includes, appliesTo: (mediaType) => mayInclude(mediaType, includes) },
    standards: chooseStandards(options),
    previous: checkPrevious(options),
    readPage: (path, maxBytes) => readPage(filesOf(docroot, roots, servedNames, path), maxBytes),
    readTitle:
      options.feed === true
        ? async (page) => {
            const { readPageTitle } = await import("./feeds/page-title.ts");
            return await readPageTitle(filesOf(docroot, roots, servedNames, page.path), page, site);
          }
        : undefined,
    dryRun,
    allowEmpty,
    lists: lists?.kinds ?? [],
    allowFewerLists: options.allowFewerLists ?? false,
    clock,
    signal,
    onEvent: (event) => {
      tally.onEvent(event);
      newlyWithheld.add(event);
      names.add(event);
    },
    openSource: () => {
      tally.restart();
      newlyWithheld.restart();
      names.restart();
      return openSite(sources);
    },
    parts: parts === undefined || roots.length > 0 ? undefined : { parts, openSource: () => openParts(sources) },
  }).catch((error: unknown) => {
    throw error instanceof Error && "syscall" in error ? wrapSystemError(error, `export ${docroot}`) : error;
  });
  for (const warning of newlyWithheld.warnings) onEvent(warning);
  const otherNames = await names.warning();
  if (otherNames !== undefined) onEvent(otherNames);
  return { ...summary, stateDir, ...tally.counts, ...lists?.summary, elapsedMs: clock() - startedMs };
}

// Most sites have no lists, and the code that reads them and queries servers takes a while to load.
async function openLists(options: SiteListsOptions): Promise<SiteLists | undefined> {
  const { urls, urlsFormat, sitemapFrom, probe, probeBudget, probeDelayMs, probeConcurrency } = options.choices;
  const given = [urls, urlsFormat, sitemapFrom, probe, probeBudget, probeDelayMs, probeConcurrency];
  if (given.every((one) => one === undefined || one === false)) return undefined;
  return new (await import("./lists/site-lists.ts")).SiteLists(options);
}

/** Counts events while passing them on. */
class EventTally {
  readonly #listener: ((event: ExportEvent) => void) | undefined;
  #rules: Partial<Record<WithholdRule, number>> = {};
  #errors = 0;
  #warnings = 0;

  constructor(listener: ((event: ExportEvent) => void) | undefined) {
    this.#listener = listener;
  }

  /** A scan that starts over also restarts the counts. */
  restart(): void {
    this.#rules = {};
    this.#errors = 0;
  }

  readonly onEvent = (event: ExportEvent): void => {
    if (event.event === "withheld") this.#rules[event.rule] = (this.#rules[event.rule] ?? 0) + 1;
    else if (event.event === "item-error") this.#errors += 1;
    else if (event.event === "warning") this.#warnings += 1;
    this.#listener?.(event);
  };

  get counts(): Pick<ExportSummary, "withheld" | "withheldByRule" | "errors" | "warnings"> {
    const withheld = Object.values(this.#rules).reduce((sum, count) => sum + count, 0);
    return { withheld, withheldByRule: { ...this.#rules }, errors: this.#errors, warnings: this.#warnings };
  }
}
