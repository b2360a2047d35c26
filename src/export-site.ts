import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { type CandidateDigest, type DigestMode, digestModes, readRobotsFile, runExport } from "./export/index.ts";
import { parseRobots, publishedFolder, robotsAllow } from "./format/index.ts";
import {
  type Clock,
  type ExportEvent,
  type ExportSummary,
  TidemarkError,
  type WithholdRule,
  wrapSystemError,
} from "./model/index.ts";
import { bytesPerTurn, compileGlobs, FileDigester, findReaderIdentity, type ScannedFile } from "./scan/index.ts";
import { planSiteUrls, type UrlMapping } from "./site-urls.ts";
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
  const clock = options.clock ?? Date.now;
  const startedMs = clock();
  const site = normaliseBaseUrl(options.baseUrl);
  const docroot = checkFolder(options.docroot, "document root");
  const robotsDir = options.robotsDir === undefined ? docroot : checkFolder(options.robotsDir, "folder of robots.txt");
  const stateDir = resolve(options.stateDir ?? join(homedir(), ".local/state/tidemark", stateName(site)));
  const { servedNames, mappings } = planSiteUrls(options);
  const roots = mappings.map(({ prefix, folder }) => ({
    prefix,
    folder: checkFolder(folder, `folder of --map ${prefix}`),
  }));
  for (const folder of [docroot, ...roots.map((root) => root.folder)]) checkOutside(stateDir, folder);
  const tally = new Tally(options.onEvent);
  const judgePath = await readOwnRules(robotsDir);
  const globs = await compileGlobs(options.include ?? [], options.exclude ?? []);
  const reader = findReaderIdentity(options.serverUser);
  const summary = await runExport<ScannedFile>({
    site,
    docroot,
    stateDir,
    robotsDir,
    segmentSize: checkCount(options.segmentSize ?? 2000, "--segment-size"),
    minGroup: checkCount(options.minGroup ?? 50, "--min-group"),
    digestMode: checkDigestMode(options.digest ?? "all"),
    dryRun: options.dryRun ?? false,
    allowEmpty: options.allowEmpty ?? false,
    clock,
    signal: options.signal,
    onEvent: tally.onEvent,
    openSource: () => {
      tally.restart();
      const walk = openSiteWalk(
        { docroot, globs, reader, judgePath, onEvent: tally.onEvent, ...(servedNames && { servedNames }) },
        roots,
        robotsDir,
      );
      const digester = new FileDigester(undefined, options.noindexPages !== true);
      return {
        next: () => walk.next(),
        digest: (file, turn): CandidateDigest | Promise<CandidateDigest> =>
          file.sizeBytes > bytesPerTurn ? digester.digestInTurns(file, turn) : digester.digest(file),
        [Symbol.asyncDispose]: () => walk[Symbol.asyncDispose](),
      };
    },
  }).catch((error: unknown) => {
    throw error instanceof Error && "syscall" in error ? wrapSystemError(error, `export ${docroot}`) : error;
  });
  return { ...summary, ...tally.counts, elapsedMs: clock() - startedMs };
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

function normaliseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new TidemarkError("bad-option", `Not a base URL: ${JSON.stringify(text)}.`, {
      hint: "Give the site's address, such as --base-url https://example.org/",
    });
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    throw new TidemarkError("bad-option", `The base URL ${JSON.stringify(text)} is more than an origin.`, {
      hint: `Crawlers find a site from /robots.txt, so a site is a whole origin: --base-url ${url.origin}/`,
    });
  }
  return `${url.origin}/`;
}

function stateName(site: string): string {
  const { protocol, host } = new URL(site);
  const name = host.replace(/[^a-z0-9.-]/g, "_");
  return protocol === "http:" ? `http_${name}` : name;
}

function checkFolder(path: string, what: string): string {
  const full = resolve(path);
  try {
    if (statSync(full).isDirectory()) return full;
  } catch (error) {
    throw wrapSystemError(error, `open the ${what} ${full}`, { path: full });
  }
  throw new TidemarkError("not-a-folder", `The ${what} ${full} is not a folder.`, {
    hint: "Name a folder.",
    details: { path: full },
  });
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

/** What we write ourselves is no page; what robots.txt keeps from everybody is not announced to them. */
async function readOwnRules(robotsDir: string): Promise<(path: string) => WithholdRule | undefined> {
  const { content } = await readRobotsFile(robotsDir);
  const robots = parseRobots(content);
  // A file without a Disallow, however it is spelt, need not be asked two hundred thousand times.
  const hasRules = /dis/i.test(Buffer.from(content).toString("latin1"));
  return (path) => {
    if (path === "/robots.txt" || path.startsWith(publishedFolder)) return "own-output";
    return hasRules && !robotsAllow(robots, "*", path) ? "robots-disallow" : undefined;
  };
}
