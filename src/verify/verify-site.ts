import {
  type Clock,
  type Finding,
  type FindingKind,
  omitUndefined,
  type Page,
  parseUrl,
  TidemarkError,
  type VerifyEvent,
  type VerifySummary,
  wrapSystemError,
} from "../core/index.ts";
import { parseSiteAddress, readChanges } from "../crawler/index.ts";
import {
  type ArchiveIndex,
  escapeArchiveName,
  formatArchiveName,
  maxIndexBytes,
  parseArchiveIndex,
} from "../formats/archive/index.ts";
import { readLinks } from "../formats/html/index.ts";
import { servedFormOf } from "../formats/url/index.ts";
import { createFetcher, realTiming, unpackArchive } from "../http/index.ts";
import { drawSeed, PageSample } from "./page-sample.ts";
import { judgeArchive, judgeBase, judgeIndex, judgeRobots, usualIndexPath } from "./served-metadata.ts";
import { agreesWith, isOtherBytes, judgeServedAgain, judgeServedPage, planAlternative } from "./served-page.ts";
import { type AskedPage, type AskOptions, SiteAsker } from "./site-asker.ts";

/** What to verify, and how thoroughly. */
export interface VerifySiteOptions extends AskOptions {
  /** Any URL of the site. */
  readonly url: string;
  /** Number of randomly chosen pages to request. @default 100 */
  readonly sample?: number;
  /** Request every page. @default false */
  readonly all?: boolean;
  /** @default Date.now */
  readonly clock?: Clock;
  readonly onEvent?: (event: VerifyEvent) => void;
}

const maxPackedIndexBytes = 8 * 1024 * 1024;
/** Number of alternative URLs tried for pages that are not at their published URL; a few are enough. */
const maxAlternatives = 10;
/** Number of pages with different bytes that are requested a second time. */
const maxAgain = 10;
/** Number of published pages and of links in requested pages that are kept to learn how the site names its pages. */
const keptPages = 20_000;
const keptLinks = 10_000;

/** One verification of a site, from robots.txt to the last page. */
class Verification {
  readonly #options: VerifySiteOptions;
  readonly #asker: SiteAsker;
  readonly #seed: number;
  readonly #report: (event: VerifyEvent) => void;
  readonly #byKind: Partial<Record<FindingKind, number>> = {};
  #isUp = false;
  #pages = 0;
  #asked = 0;
  #differing = 0;
  #differences = 0;
  #notes = 0;
  #alternatives = 0;
  #again = 0;
  readonly #published = new Map<string, Page>();
  readonly #links = new Set<string>();

  constructor(options: VerifySiteOptions, asker: SiteAsker, report: (event: VerifyEvent) => void) {
    this.#options = options;
    this.#asker = asker;
    this.#seed = options.seed ?? drawSeed();
    this.#report = report;
  }

  get counts(): Omit<VerifySummary, "requests" | "elapsedMs"> {
    return {
      site: `${this.#asker.origin}/`,
      pages: this.#pages,
      asked: this.#asked,
      differing: this.#differing,
      differences: this.#differences,
      notes: this.#notes,
      findingsByKind: { ...this.#byKind },
      seed: this.#seed,
    };
  }

  async run(): Promise<void> {
    await this.#verifyMetadata();
    try {
      await this.#verifyPages();
    } catch (error) {
      const isNews = this.#differences === 0 || this.#pages > 0 || !this.#isUp;
      const isSiteTrouble =
        error instanceof TidemarkError && (error.code === "no-archives" || error.code === "site-unavailable");
      if (isNews || !isSiteTrouble) throw error;
      // An earlier finding already gives the reason.
      this.#report({ event: "warning", code: error.code, message: `No page could be verified: ${error.message}` });
    }
  }

  async #verifyMetadata(): Promise<void> {
    const asker = this.#asker;
    const { origin } = asker;
    const robots = await asker.readRobots();
    this.#isUp = robots.head !== undefined;
    const base = await asker.ask("/", 1);
    if (base.head !== undefined) this.#tell(judgeBase(origin, base.head));
    this.#tell(judgeRobots(origin, robots.head, asker.robots, asker.agent));

    const indexPath = this.#indexPath();
    const { head, outcome } = await asker.ask(indexPath, maxPackedIndexBytes);
    if (head === undefined) return;
    const unpacked = outcome.kind === "fetched" ? unpackArchive(outcome.body, maxIndexBytes) : undefined;
    const index = unpacked?.ok === true ? parseArchiveIndex(unpacked.value) : undefined;
    const content = index?.ok === true ? index.value : undefined;
    this.#tell(judgeIndex(origin, indexPath, head, content));
    if (content !== undefined) await this.#verifyArchives(indexPath, content);
  }

  #indexPath(): string {
    const { origin, robots } = this.#asker;
    const announced = robots.archiveIndexes.map((text) => parseUrl(text, origin));
    return announced.find((url) => url?.origin === origin)?.pathname ?? usualIndexPath;
  }

  // One of each kind: a server treats all of a kind alike.
  async #verifyArchives(indexPath: string, index: ArchiveIndex): Promise<void> {
    const folder = indexPath.slice(0, indexPath.lastIndexOf("/") + 1);
    for (const entry of [index.base, index.archives[0]]) {
      if (entry === undefined) continue;
      const path = folder + escapeArchiveName(formatArchiveName(entry.name));
      const { head } = await this.#asker.ask(path, 1);
      if (head !== undefined) this.#tell(judgeArchive(path, head));
    }
  }

  async #verifyPages(): Promise<void> {
    const { url, sample = 100, all = false, userAgent, timeoutMs, clock, delay, signal } = this.#options;
    await this.#asker.pause();
    await using reading = await readChanges({
      url,
      ...omitUndefined({ userAgent, timeoutMs, clock, delay, signal }),
      onEvent: (event) => {
        if (event.event === "progress")
          this.#report({ event: "progress", phase: "archives", done: event.done, total: event.total });
      },
    });
    const chosen = new PageSample(sample, this.#seed);
    for await (const change of reading.changes) {
      if (change.kind === "deleted") continue;
      this.#pages += 1;
      if (this.#published.size < keptPages) this.#published.set(change.page.path, change.page);
      if (all) await this.#verifyPage(change.page, undefined);
      else chosen.offer(change.page);
    }
    const { pages } = chosen;
    if (!all) for (const page of pages) await this.#verifyPage(page, pages.length);
    await this.#verifyForms();
  }

  /** Whether the site links to its pages by other URLs than the published ones: each form and name is reported once. */
  async #verifyForms(): Promise<void> {
    const told = new Set<string>();
    for (const path of [...this.#links].sort()) {
      const form = servedFormOf(path, (one) => this.#published.has(one));
      const key = form?.kind === "index" ? form.name : form?.kind;
      const page = form && this.#published.get(form.file);
      if (key === undefined || page === undefined || told.has(key) || told.size >= maxAlternatives) continue;
      told.add(key);
      if (!this.#asker.allows(path)) continue;
      const served = await this.#asker.askPage(path, page.sizeBytes ?? 0);
      if (served.head?.status !== 200 || !agreesWith(page, served)) continue;
      const option = key === "clean" ? "--clean-urls" : `--index ${key}`;
      const message = `pages link to it, and it is published as ${page.path}`;
      const fix = `Export with ${option}: crawlers that follow links know it by that URL, and hold it once.`;
      this.#tell([{ kind: "url-form", severity: "note", path, message, fix }]);
    }
  }

  #noteLinks(page: Page, { start }: AskedPage): void {
    if (start.length === 0) return;
    for (const { url } of readLinks(start, undefined, this.#asker.origin + page.path).links) {
      const { origin, pathname } = new URL(url);
      if (origin === this.#asker.origin && this.#links.size < keptLinks) this.#links.add(pathname);
    }
  }

  async #verifyPage(page: Page, total: number | undefined): Promise<void> {
    const { path } = page;
    this.#asked += 1;
    let found: Finding[];
    if (!this.#asker.allows(path)) {
      const message = "robots.txt disallows it for crawlers, so none asks for it";
      const fix = "Run tidemark export again: it leaves out what robots.txt disallows.";
      found = [{ kind: "robots-disallow", severity: "difference", path, message, fix }];
    } else {
      const served = await this.#asker.askPage(path, page.sizeBytes ?? 0);
      const status = served.head?.status;
      const mayBeElsewhere = status === 404 || status === 403;
      const alternative = mayBeElsewhere ? await this.#askElsewhere(page) : undefined;
      this.#noteLinks(page, served);
      found = judgeServedPage(this.#asker.origin, page, served, alternative, this.#asker.timing.now());
      if (
        page.mediaType === "text/html" &&
        served.failure === undefined &&
        found.some(isOtherBytes) &&
        this.#again < maxAgain
      ) {
        this.#again += 1;
        found = judgeServedAgain(found, served, await this.#asker.askPage(path, page.sizeBytes ?? 0));
      }
    }
    if (this.#tell(found)) this.#differing += 1;
    const progress = { event: "progress", phase: "pages", done: this.#asked } as const;
    this.#report(total === undefined ? progress : { ...progress, total });
  }

  async #askElsewhere(page: Page): Promise<{ path: string; agrees: boolean } | undefined> {
    const path = planAlternative(page.path);
    if (path === undefined || this.#alternatives >= maxAlternatives) return undefined;
    if (!this.#asker.allows(path)) return undefined;
    this.#alternatives += 1;
    const served = await this.#asker.askPage(path, page.sizeBytes ?? 0);
    return { path, agrees: served.head?.status === 200 && agreesWith(page, served) };
  }

  #tell(findings: readonly Finding[]): boolean {
    let differs = false;
    for (const finding of findings) {
      this.#byKind[finding.kind] = (this.#byKind[finding.kind] ?? 0) + 1;
      if (finding.severity === "difference") this.#differences += 1;
      else this.#notes += 1;
      differs ||= finding.severity === "difference";
      this.#report({ event: "finding", ...finding });
    }
    return differs;
  }
}

/**
 * Reads what a site publishes, as a crawler does, and requests some of the pages from the server. Each difference that
 * a crawler would find is reported, with what to do about it.
 *
 * One request at a time. Memory is the sample, plus 20,000 pages and 10,000 links that show how the site names its
 * pages. Writes nothing.
 *
 * @returns the summary
 * @throws TidemarkError `bad-option`, `no-archives`, `site-unavailable`, `aborted`, `archive-corrupt`; not if a finding
 * already says why the archives cannot be read
 * @example
 * const { differences } = await verifySite({ url: "https://example.org/", sample: 20 });
 * if (differences > 0) console.log("a crawler would not find what is published");
 */
export async function verifySite(options: VerifySiteOptions): Promise<VerifySummary> {
  const { url, userAgent, clock, delay, onEvent } = options;
  const startedMs = performance.now();
  const report = onEvent ?? (() => undefined);
  const origin = parseSiteAddress(url, (event) => {
    if (event.event === "warning") report({ event: "warning", code: event.code, message: event.message });
  });
  await using fetcher = createFetcher({ allowedPrivateOrigins: [origin], ...omitUndefined({ userAgent, clock }) });
  const asker = new SiteAsker(fetcher, origin, realTiming(clock, delay), options);
  const verification = new Verification(options, asker, report);
  try {
    await verification.run();
  } catch (error) {
    throw wrapSystemError(error, `verify ${origin}/`, { site: origin });
  }
  return { ...verification.counts, requests: asker.requests, elapsedMs: Math.round(performance.now() - startedMs) };
}
