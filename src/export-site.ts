import { resolve } from "node:path";
import { parseBaseUrl } from "./base-url.ts";
import { compileContentRules } from "./content/index.ts";
import { EventTally } from "./event-tally.ts";
import { type DigestMode, runExport, type SiteParts } from "./export/index.ts";
import {
  checkCount,
  checkDigestMode,
  checkFolderLinks,
  checkIncludeMode,
  checkIoLimit,
  checkOutside,
  checkSignificant,
  refuseContentRules,
} from "./export-checks.ts";
import { type Clock, type ExportEvent, type ExportSummary, TidemarkError, wrapSystemError } from "./model/index.ts";
import { RunRecord } from "./run-record.ts";
import {
  type FolderLinks,
  type IncludeMode,
  judgePathNames,
  mayInclude,
  NewlyWithheld,
  type ScannedFile,
} from "./scan/index.ts";
import type { ListChoices, SiteLists, SiteListsOptions } from "./site-lists.ts";
import { chooseStandards, readSiteRules, stateDirOf } from "./site-rules.ts";
import { readPage, SiteSources } from "./site-sources.ts";
import type { UrlMapping } from "./site-urls.ts";

/** How a site is to be exported. */
export interface ExportSiteOptions extends ListChoices {
  /** Folder that the web server shows as the site's root. */
  readonly docroot: string;
  /** The site's origin with `/`, such as `https://example.org/`. */
  readonly baseUrl: string;
  /** Where the exporter remembers; outside the document root. Default `~/.local/state/tidemark/<host>`. */
  readonly stateDir?: string;
  /** If not empty, only files that match one of these fast-glob patterns are published. */
  readonly include?: readonly string[];
  /** Files and folders that match one of these fast-glob patterns are not published. */
  readonly exclude?: readonly string[];
  /** Changes a segment, 1 to 65536. @default 2000 */
  readonly segmentSize?: number;
  /** MIME groups of fewer changes join `other`, 1 to 65536. @default 50 */
  readonly minGroup?: number;
  /** Which pages get a digest. @default "all" */
  readonly digest?: DigestMode;
  /**
   * What does not count as a change, such as counters, build stamps and CSRF tokens: regular expressions
   * `/expression/flags`, met by the bytes of text, XML, JSON and JavaScript, and selectors of HTML elements.
   * A page in which something was found is published without a digest.
   */
  readonly ignore?: readonly string[];
  /**
   * A change of an HTML page counts only if its visible text resembles the published one less than this, more
   * than 0 and at most 1. HTML pages are published without a digest then. Default: each change counts.
   *
   * @see Edwards, McCurley and Tomlin, *An Adaptive Model for Optimizing Performance of an Incremental Web
   *   Crawler*, WWW10 2001, section 2
   */
  readonly significant?: number;
  /** Bytes of the site's files that are read a second at most; a file counts 4 KiB at least. Default no limit. */
  readonly ioLimit?: number;
  /** Publish sitemaps, and announce them in robots.txt. @default false */
  readonly sitemap?: boolean;
  /** Publish ResourceSync: what there is, and what changed by days. @default false */
  readonly resourceSync?: boolean;
  /** Pack the pages of each day's changes once it is over; implies `resourceSync`. @default false */
  readonly changeDumps?: boolean;
  /** Pack all pages as they are now; implies `resourceSync`. The packages stay listed. @default false */
  readonly resourceDump?: boolean;
  /** Names of index files, in the server's order: the first that a folder has is published as the folder's URL. Default none. */
  readonly index?: readonly string[];
  /**
   * Publish `about.html` of the document root as `/about`, not what is mapped; `index` is then `index.html` unless given.
   *
   * @default false
   */
  readonly cleanUrls?: boolean;
  /** Further folders that the server shows below a prefix of its URLs; the longest prefix wins. Default none. */
  readonly map?: readonly UrlMapping[];
  /**
   * Publish pages that ask not to be indexed by `<meta name="robots" content="noindex">`.
   *
   * @default false
   */
  readonly noindexPages?: boolean;
  /** Folder where robots.txt lives. Default the document root. */
  readonly robotsDir?: string;
  /**
   * In which files server-side includes are looked for: `auto` in HTML, `on` in all text, `off` in none because the
   * server does not process them. A page with includes is published without size and digest, and changes with the
   * files that it includes. Needs the digests of all pages.
   *
   * @default "auto"
   */
  readonly ssi?: IncludeMode;
  /**
   * What becomes of links to folders inside the document root, under which each page is published once more: `follow`
   * publishes both, `hold` only the folder's own. Default: both, with a warning.
   */
  readonly folderLinks?: FolderLinks;
  /** User as whom the web server reads files; what it may not read is not published. */
  readonly serverUser?: string;
  /** Key of IndexNow; the file of its name is no page, nor are those of keys that were used before. */
  readonly indexNowKey?: string;
  /** Compare and report, and write nothing. @default false */
  readonly dryRun?: boolean;
  /** Whether a site that had pages may come to have none. @default false */
  readonly allowEmpty?: boolean;
  /**
   * Whether `urls` or `sitemapFrom` may be left out although the last export had it: the pages that stand only there
   * are deleted then. @default false
   */
  readonly allowFewerLists?: boolean;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Stops the export; nothing is published then. */
  readonly signal?: AbortSignal;
  /** Is told what happens, while it happens. */
  readonly onEvent?: (event: ExportEvent) => void;
}

/**
 * Publishes what a site has and what changed since the last export, as static files below its
 * document root that crawlers find from robots.txt.
 *
 * Memory does not grow with the site. Killed at any instant, it leaves what was public before.
 *
 * @returns what it came to; `published` is false if nothing had changed, and then nothing was written
 * @throws TidemarkError with `code` and `hint`; see docs/cli.md
 * @example
 * ```ts
 * const summary = await exportSite({ docroot: "/var/www/html", baseUrl: "https://example.org/" });
 * console.log(`${summary.updated} pages changed`);
 * ```
 */
export async function exportSite(options: ExportSiteOptions): Promise<ExportSummary> {
  return await exportRecorded(options, undefined, "export");
}

/**
 * Exports what changed in some parts of a site, as a watch does. A site that folders are mapped into is always
 * exported whole.
 *
 * @param parts - undefined for the whole site
 */
export async function exportParts(options: ExportSiteOptions, parts: SiteParts | undefined): Promise<ExportSummary> {
  return await exportRecorded(options, parts, "watch");
}

async function exportRecorded(
  options: ExportSiteOptions,
  parts: SiteParts | undefined,
  kind: "export" | "watch",
): Promise<ExportSummary> {
  const { clock = Date.now, onEvent, segmentSize = 2000 } = options;
  if (options.dryRun === true) return await exportUnrecorded(options, parts);
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
    summary = await exportUnrecorded({ ...options, onEvent: told }, parts);
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

async function exportUnrecorded(options: ExportSiteOptions, parts: SiteParts | undefined): Promise<ExportSummary> {
  const clock = options.clock ?? Date.now;
  const startedMs = clock();
  const site = parseBaseUrl(options.baseUrl);
  const { docroot, robotsDir, judgePath, globs, reader, servedNames, roots } = await readSiteRules(options);
  const stateDir = stateDirOf(options);
  for (const folder of [docroot, ...roots.map((root) => root.folder)]) checkOutside(stateDir, folder);
  const tally = new EventTally(options.onEvent);
  const digestMode = checkDigestMode(options.digest ?? "all");
  const rules = await compileContentRules({
    ignore: options.ignore ?? [],
    isSketched: options.significant !== undefined,
  });
  if (rules !== undefined && digestMode !== "all") refuseContentRules(digestMode);
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
  const findsNoindex = options.noindexPages !== true;
  const walk = { docroot, globs, reader, judgePath, onEvent, folderLinks, ...(servedNames && { servedNames }) };
  const digests = { rules, ioLimitBytesPerSecond, findsNoindex, includes, signal };
  const indexSegments = servedNames?.indexSegments ?? [];
  const sources = new SiteSources({ walk, roots, robotsDir, lists, digests, indexSegments });
  const summary = await runExport<ScannedFile>({
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
    readPage: (path, maxBytes) => readPage(docroot, path, maxBytes),
    dryRun,
    allowEmpty,
    lists: lists?.kinds ?? [],
    allowFewerLists: options.allowFewerLists ?? false,
    clock,
    signal,
    onEvent: (event) => {
      tally.onEvent(event);
      newlyWithheld.add(event);
    },
    openSource: () => {
      tally.restart();
      newlyWithheld.restart();
      return sources.openAll();
    },
    parts: parts === undefined || roots.length > 0 ? undefined : { parts, openSource: () => sources.openParts() },
  }).catch((error: unknown) => {
    throw error instanceof Error && "syscall" in error ? wrapSystemError(error, `export ${docroot}`) : error;
  });
  for (const warning of newlyWithheld.warnings) onEvent(warning);
  return { ...summary, stateDir, ...tally.counts, ...lists?.summary, elapsedMs: clock() - startedMs };
}

// Most sites have no lists, and what reads them and asks servers takes a while to load.
async function openLists(options: SiteListsOptions): Promise<SiteLists | undefined> {
  const { urls, urlsFormat, sitemapFrom, probe, probeBudget, probeDelayMs, probeConcurrency } = options.choices;
  const given = [urls, urlsFormat, sitemapFrom, probe, probeBudget, probeDelayMs, probeConcurrency];
  if (given.every((one) => one === undefined || one === false)) return undefined;
  return new (await import("./site-lists.ts")).SiteLists(options);
}
