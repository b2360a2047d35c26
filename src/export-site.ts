import { existsSync, realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { parseBaseUrl } from "./base-url.ts";
import { compileContentRules } from "./content/index.ts";
import { type DigestMode, digestModes, type PartSource, runExport, type SiteParts } from "./export/index.ts";
import {
  type Clock,
  type ExportEvent,
  type ExportSummary,
  TidemarkError,
  type WithholdRule,
  wrapSystemError,
} from "./model/index.ts";
import { RunRecord } from "./run-record.ts";
import { DigestPool, type ScannedFile, Walk } from "./scan/index.ts";
import { readSiteRules, stateDirOf } from "./site-rules.ts";
import type { UrlMapping } from "./site-urls.ts";
import { openSiteWalk } from "./site-walk.ts";

/** How a site is to be exported. */
export interface ExportSiteOptions {
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
  /** User as whom the web server reads files; what it may not read is not published. */
  readonly serverUser?: string;
  /** Key of IndexNow; the file of its name is no page, nor are those of keys that were used before. */
  readonly indexNowKey?: string;
  /** Compare and report, and write nothing. @default false */
  readonly dryRun?: boolean;
  /** Whether a site that had pages may come to have none. @default false */
  readonly allowEmpty?: boolean;
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
  const tally = new Tally(options.onEvent);
  const digestMode = checkDigestMode(options.digest ?? "all");
  const rules = await compileContentRules({
    ignore: options.ignore ?? [],
    isSketched: options.significant !== undefined,
  });
  if (rules !== undefined && digestMode !== "all") refuseContentRules(digestMode);
  const significant = checkSignificant(options.significant);
  const ioLimitBytesPerSecond = checkIoLimit(options.ioLimit);
  const findsNoindex = options.noindexPages !== true;
  const { signal } = options;
  const { onEvent } = tally;
  const walkOptions = { docroot, globs, reader, judgePath, onEvent, ...(servedNames && { servedNames }) };
  const openDigests = (opened: readonly AsyncDisposable[]): Digests => {
    const pool = new DigestPool({ rules, ioLimitBytesPerSecond, findsNoindex, signal });
    return {
      digestAll: (files, turn) => pool.digestAll(files, turn),
      [Symbol.asyncDispose]: async () => {
        for (const one of [pool, ...opened]) await one[Symbol.asyncDispose]();
      },
    };
  };
  const summary = await runExport<ScannedFile>({
    site,
    docroot,
    stateDir,
    robotsDir,
    segmentSize: checkCount(options.segmentSize ?? 2000, "--segment-size"),
    minGroup: checkCount(options.minGroup ?? 50, "--min-group"),
    digestMode,
    content: rules === undefined ? undefined : { ...rules, significant },
    dryRun: options.dryRun ?? false,
    allowEmpty: options.allowEmpty ?? false,
    clock,
    signal,
    onEvent: tally.onEvent,
    openSource: () => {
      tally.restart();
      const walk = openSiteWalk(walkOptions, roots, robotsDir);
      return { next: () => walk.next(), ...openDigests([walk]) };
    },
    parts:
      parts === undefined || roots.length > 0
        ? undefined
        : { parts, openSource: () => openPartSource(() => new Walk(walkOptions), openDigests) },
  }).catch((error: unknown) => {
    throw error instanceof Error && "syscall" in error ? wrapSystemError(error, `export ${docroot}`) : error;
  });
  return { ...summary, stateDir, ...tally.counts, elapsedMs: clock() - startedMs };
}

type Digests = Pick<PartSource<ScannedFile>, "digestAll" | typeof Symbol.asyncDispose>;

function openPartSource(
  openWalk: () => Walk,
  openDigests: (opened: readonly AsyncDisposable[]) => Digests,
): PartSource<ScannedFile> {
  const looking = openWalk();
  return {
    look: (folder) => looking.look(folder),
    below: async function* (folder) {
      await using walk = openWalk();
      await walk.beginAt(folder);
      for (let batch = await walk.next(); batch !== undefined; batch = await walk.next()) yield batch;
    },
    ...openDigests([looking]),
  };
}

/** Counts events on their way. */
class Tally {
  readonly #listener: ((event: ExportEvent) => void) | undefined;
  #rules: Partial<Record<WithholdRule, number>> = {};
  #errors = 0;
  #warnings = 0;

  constructor(listener: ((event: ExportEvent) => void) | undefined) {
    this.#listener = listener;
  }

  /** A scan that begins anew counts anew. */
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

/** The state holds names of files that are withheld: it must not be served. */
function checkOutside(stateDir: string, docroot: string): void {
  let existing = stateDir;
  while (!existsSync(existing)) existing = resolve(existing, "..");
  const real = resolve(realpathSync(existing), relative(existing, stateDir));
  const inside = relative(realpathSync(docroot), real);
  if (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) {
    throw new TidemarkError(
      "bad-option",
      `The state folder ${stateDir} lies in the document root, where everybody could read it.`,
      {
        hint: "Name a folder outside with --state, such as --state /var/lib/tidemark",
      },
    );
  }
}

function checkCount(value: number, option: string): number {
  if (Number.isInteger(value) && value >= 1 && value <= 65_536) return value;
  throw new TidemarkError("bad-option", `${option} must be a whole number from 1 to 65536, not ${value}.`, {
    hint: `For instance ${option} ${option === "--min-group" ? 50 : 2000}`,
  });
}

function checkDigestMode(mode: string): DigestMode {
  const known = digestModes.find((candidate) => candidate === mode);
  if (known !== undefined) return known;
  throw new TidemarkError(
    "bad-option",
    `--digest must be one of ${digestModes.join(", ")}, not ${JSON.stringify(mode)}.`,
    { hint: "Use --digest all" },
  );
}

function refuseContentRules(mode: DigestMode): never {
  throw new TidemarkError(
    "bad-option",
    `--ignore and --significant need a digest of every page, not --digest ${mode}.`,
    {
      hint: "Leave out --digest, or say --digest all",
    },
  );
}

function checkSignificant(value: number | undefined): number | undefined {
  if (value === undefined || (value > 0 && value <= 1)) return value;
  throw new TidemarkError("bad-option", `--significant must be more than 0 and at most 1, not ${value}.`, {
    hint: "For instance --significant 0.9",
  });
}

function checkIoLimit(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 4096)) return value;
  throw new TidemarkError("bad-option", `--io-limit must be at least 4096 bytes a second, not ${value}.`, {
    hint: "For instance --io-limit 10M",
  });
}
