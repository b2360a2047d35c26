import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Clock,
  type ExportEvent,
  type ExportSummary,
  TidemarkError,
  type WithholdRule,
} from "../../core/index.ts";
import type { ListedCandidate } from "../publish/listed-diff.ts";
import { mediaTypeOfUrlPath } from "../walk/media-types.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import type { RootWalk } from "../walk/site-walk.ts";
import { type ListFormat, listFormats } from "./list-format.ts";
import type { ListedPage, ListedPageSource } from "./listed-page.ts";
import { isScannedFile, JoinedLists, MergedPages } from "./merged-pages.ts";
import { PageProbes } from "./probe-pages.ts";
import { ProbedPages } from "./probed-pages.ts";
import { ReplayedStream } from "./replayed-stream.ts";
import { openSitemapSource } from "./sitemap-source.ts";
import { openUrlList } from "./url-list.ts";

/** Pages that are no files. */
export interface ListChoices {
  /**
   * A list of pages: a file's path, or its bytes as they come. Each line has a URL and maybe its last-modified, size,
   * digest and media type. Where a file has the path of a listed page, the file counts.
   */
  readonly urls?: string | AsyncIterable<Uint8Array>;
  /** How the list is written. Default by its name, or else by its first line. */
  readonly urlsFormat?: ListFormat;
  /** A sitemap or sitemap index, as a content management system makes it: a URL, or a file's path. */
  readonly sitemapFrom?: string;
  /** Asks the server, by conditional requests, for listed pages without a last-modified. @default false */
  readonly probe?: boolean;
  /** Pages that are asked for in a run, from 0. @default 1000 */
  readonly probeBudget?: number;
  /** Time between the beginnings of two requests, in milliseconds. @default 250 */
  readonly probeDelayMs?: number;
  /** Requests under way at once, 1 to 64. @default 1 */
  readonly probeConcurrency?: number;
}

export interface SiteListsOptions {
  readonly choices: ListChoices;
  /** The site's origin, without a slash at the end. */
  readonly origin: string;
  readonly stateDir: string;
  readonly dryRun: boolean;
  readonly allowEmpty: boolean;
  readonly judgePath: (path: string) => WithholdRule | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: ExportEvent) => void;
}

export interface SitePages extends AsyncDisposable {
  next(): Promise<
    | {
        readonly pages: readonly (ScannedFile | ListedCandidate)[];
        readonly gaps: readonly { readonly path: string }[];
      }
    | undefined
  >;
}

/** File in the state folder of what the server said of listed pages. */
const probesName = "probes";

/** The lists of one run of an export, which may read them more than once. */
export class SiteLists implements AsyncDisposable {
  /** Options by which pages are listed; an export without one of them would delete its pages. */
  readonly kinds: readonly string[];
  readonly #options: SiteListsOptions;
  readonly #stream: ReplayedStream | undefined;
  readonly #probes: PageProbes | undefined;
  #merged: MergedPages | undefined;
  #probed: ProbedPages | undefined;
  #taken = 0;

  /** @throws TidemarkError `bad-option` */
  constructor(options: SiteListsOptions) {
    const { choices, origin, signal, onEvent } = options;
    const { urls, sitemapFrom } = choices;
    checkChoices(choices);
    this.#options = options;
    this.kinds = [...(urls === undefined ? [] : ["--urls"]), ...(sitemapFrom === undefined ? [] : ["--sitemap-from"])];
    if (urls !== undefined && typeof urls !== "string")
      this.#stream = new ReplayedStream(urls, this.#spillFolder, signal);
    const { probe, probeBudget, probeDelayMs, probeConcurrency } = choices;
    if (probe !== true) return;
    // What a dry run asked for would be forgotten.
    const budget = options.dryRun ? 0 : probeBudget;
    const how = { budget, delayMs: probeDelayMs, concurrency: probeConcurrency };
    this.#probes = new PageProbes({ ...how, origin, onEvent, signal });
  }

  /** What the lists came to in the last reading; nothing if there are none. */
  get summary(): Pick<ExportSummary, "listed" | "probes"> {
    if (this.#merged === undefined) return {};
    const listed = { pages: this.#taken, shadowed: this.#merged.shadowed };
    return this.#probed === undefined ? { listed } : { listed, probes: this.#probed.counts };
  }

  /**
   * Adds the listed pages to files, and disposes of both.
   *
   * @throws TidemarkError as the opening of lists does
   */
  addTo(files: RootWalk): SitePages {
    const listed = this.#open();
    const merged = new MergedPages(files, listed);
    this.#merged = merged;
    this.#taken = 0;
    return {
      next: async () => {
        const batch = await merged.next();
        if (batch === undefined) return undefined;
        const pages = batch.pages.map((page) => (isScannedFile(page) ? page : this.#toCandidate(page)));
        return { pages, gaps: batch.gaps };
      },
      [Symbol.asyncDispose]: () => merged[Symbol.asyncDispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream?.[Symbol.asyncDispose]();
    await this.#probes?.[Symbol.asyncDispose]();
  }

  #open(): ListedPageSource {
    const { choices, stateDir, dryRun, clock, onEvent, signal, origin, judgePath, allowEmpty } = this.#options;
    const { sitemapFrom, urlsFormat } = choices;
    const spillFolder = this.#spillFolder;
    const shared = { origin, spillFolder, judgePath, allowEmpty, onEvent, signal };
    const sitemap = sitemapFrom === undefined ? undefined : openSitemapSource({ ...shared, location: sitemapFrom });
    const input = this.#stream?.read() ?? (choices.urls as string | undefined);
    const urls = input === undefined ? undefined : openUrlList({ ...shared, format: urlsFormat, input });
    // Who writes a list for this says more than a sitemap, and counts where both have a page.
    const source = sitemap !== undefined && urls !== undefined ? new JoinedLists(sitemap, urls) : (sitemap ?? urls);
    if (source === undefined) throw new TypeError("there is no list");
    if (this.#probes === undefined) return source;
    const file = join(stateDir, probesName);
    this.#probed = new ProbedPages({ source, requests: this.#probes, file, readOnly: dryRun, clock, onEvent });
    return this.#probed;
  }

  get #spillFolder(): string {
    const { dryRun, stateDir } = this.#options;
    // A dry run makes no folder; any other has made it before it looks for pages.
    return dryRun && !existsSync(stateDir) ? tmpdir() : stateDir;
  }

  #toCandidate(page: ListedPage): ListedCandidate {
    this.#taken += 1;
    return { ...page, defaultType: mediaTypeOfUrlPath(page.path) };
  }
}

function checkChoices(choices: ListChoices): void {
  const { urls, urlsFormat, sitemapFrom, probe = false, probeBudget, probeDelayMs, probeConcurrency } = choices;
  if (urlsFormat !== undefined && !listFormats.some((format) => format === urlsFormat))
    refuse(`--urls-format must be one of ${listFormats.join(", ")}, not ${JSON.stringify(urlsFormat)}.`);
  if (urlsFormat !== undefined && urls === undefined)
    refuse("--urls-format says how --urls is written, which is missing.");
  if (probe && urls === undefined && sitemapFrom === undefined)
    refuse("--probe asks for pages of --urls or --sitemap-from, and there is neither.");
  const how = { budget: probeBudget, delay: probeDelayMs, concurrency: probeConcurrency };
  const [given] = Object.entries(how).find(([, value]) => value !== undefined) ?? [];
  if (!probe && given !== undefined) refuse(`--probe-${given} says how --probe asks, which is missing.`);
  checkWhole(probeBudget, "--probe-budget", 0, 1e9);
  checkWhole(probeDelayMs, "--probe-delay", 0, 3_600_000);
  checkWhole(probeConcurrency, "--probe-concurrency", 1, 64);
}

function checkWhole(value: number | undefined, option: string, min: number, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return;
  refuse(`${option} must be a whole number from ${min} to ${max}, not ${value}.`);
}

function refuse(message: string): never {
  throw new TidemarkError("bad-option", message, { hint: "See tidemark export --help." });
}
