import {
  type Clock,
  type Finding,
  type FindingKind,
  omitUndefined,
  type Page,
  parseUrl,
  TidemarkError,
  type Timing,
  type VerifyEvent,
  type VerifySummary,
} from "../core/index.ts";
import { readChanges } from "../crawler/index.ts";
import { type ArchiveIndex, formatArchiveName, maxIndexBytes, parseArchiveIndex } from "../formats/archive/index.ts";
import { readLinks, servedFormOf } from "../formats/html/index.ts";
import {
  maxRobotsBytes,
  parseRobots,
  type Robots,
  type RobotsAgent,
  robotsAgentOf,
  robotsAllow,
  robotsCrawlDelaySeconds,
} from "../formats/robots/index.ts";
import { unpackArchive } from "../http/index.ts";
import { PageSample } from "./page-sample.ts";
import { judgeArchive, judgeBase, judgeIndex, judgeRobots, usualIndexPath } from "./served-metadata.ts";
import { agreesWith, isOtherBytes, judgeServedAgain, judgeServedPage, planAlternative } from "./served-page.ts";
import type { AskedPage, SiteAsker } from "./site-asker.ts";

/** What to verify, and how thoroughly. */
export interface VerifySiteOptions {
  /** Any URL of the site. */
  readonly url: string;
  /** Number of randomly chosen pages to request. @default 100 */
  readonly sample?: number;
  /** Request every page. @default false */
  readonly all?: boolean;
  /** Seed of the sample: an integer. Default: another one each time. */
  readonly seed?: number;
  /** Pause before each request, in milliseconds. Default: the Crawl-delay of robots.txt, at least 100. */
  readonly delayMs?: number;
  readonly userAgent?: string;
  /** Time limit of a small request in milliseconds; a large body gets more. @default 30000 */
  readonly timeoutMs?: number;
  /** @default Date.now */
  readonly clock?: Clock;
  /** Waits between requests. Default: real time. */
  readonly delay?: Timing["delay"];
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: VerifyEvent) => void;
}

const leastDelayMs = 100;
const maxPackedIndexBytes = 8 * 1024 * 1024;
/** Number of alternative URLs tried for pages that are not at their published URL; a few are enough. */
const maxAlternatives = 10;
/** Number of pages with different bytes that are requested a second time. */
const maxAgain = 10;
/** Number of published pages and of links in requested pages that are kept to learn how the site names its pages. */
const keptPages = 20_000;
const keptLinks = 10_000;

/** One verification of one site, from robots.txt to the last page. */
export class Verification {
  readonly #options: VerifySiteOptions;
  readonly #origin: string;
  readonly #asker: SiteAsker;
  readonly #timing: Timing;
  readonly #seed: number;
  readonly #report: (event: VerifyEvent) => void;
  readonly #byKind: Partial<Record<FindingKind, number>> = {};
  readonly #agent: RobotsAgent;
  #robots: Robots = parseRobots(new Uint8Array(0));
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

  constructor(
    options: VerifySiteOptions,
    origin: string,
    asker: SiteAsker,
    timing: Timing,
    seed: number,
    report: (event: VerifyEvent) => void,
  ) {
    this.#options = options;
    this.#origin = origin;
    this.#agent = robotsAgentOf(options.userAgent);
    this.#asker = asker;
    this.#timing = timing;
    this.#seed = seed;
    this.#report = report;
  }

  get counts(): Omit<VerifySummary, "requests" | "elapsedMs"> {
    return {
      site: `${this.#origin}/`,
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
    const robots = await asker.ask("/robots.txt", maxRobotsBytes + 1);
    if (robots.outcome.kind === "fetched") this.#robots = parseRobots(robots.outcome.body);
    this.#isUp = robots.head !== undefined;
    const crawlDelayMs = (robotsCrawlDelaySeconds(this.#robots, this.#agent) ?? 0) * 1000;
    asker.delayMs = this.#options.delayMs ?? Math.max(leastDelayMs, crawlDelayMs);
    const base = await asker.ask("/", 1);
    if (base.head !== undefined) this.#tell(judgeBase(this.#origin, base.head));
    this.#tell(judgeRobots(this.#origin, robots.head, this.#robots, this.#agent));

    const indexPath = this.#indexPath();
    const { head, outcome } = await asker.ask(indexPath, maxPackedIndexBytes);
    if (head === undefined) return;
    const unpacked = outcome.kind === "fetched" ? unpackArchive(outcome.body, maxIndexBytes) : undefined;
    const index = unpacked?.ok === true ? parseArchiveIndex(unpacked.value) : undefined;
    const content = index?.ok === true ? index.value : undefined;
    this.#tell(judgeIndex(this.#origin, indexPath, head, content));
    if (content !== undefined) await this.#verifyArchives(indexPath, content);
  }

  #indexPath(): string {
    const announced = this.#robots.archiveIndexes.map((text) => parseUrl(text, this.#origin));
    return announced.find((url) => url?.origin === this.#origin)?.pathname ?? usualIndexPath;
  }

  // One of each kind: a server treats all of a kind alike.
  async #verifyArchives(indexPath: string, index: ArchiveIndex): Promise<void> {
    const folder = indexPath.slice(0, indexPath.lastIndexOf("/") + 1);
    for (const entry of [index.base, index.archives[0]]) {
      if (entry === undefined) continue;
      const path = folder + formatArchiveName(entry.name);
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
      if (!robotsAllow(this.#robots, this.#agent, path)) continue;
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
    for (const { url } of readLinks(start, undefined, this.#origin + page.path).links) {
      const { origin, pathname } = new URL(url);
      if (origin === this.#origin && this.#links.size < keptLinks) this.#links.add(pathname);
    }
  }

  async #verifyPage(page: Page, total: number | undefined): Promise<void> {
    const { path } = page;
    this.#asked += 1;
    let found: Finding[];
    if (!robotsAllow(this.#robots, this.#agent, path)) {
      const message = "robots.txt disallows it for crawlers, so none asks for it";
      const fix = "Run tidemark export again: it leaves out what robots.txt disallows.";
      found = [{ kind: "robots-disallow", severity: "difference", path, message, fix }];
    } else {
      const served = await this.#asker.askPage(path, page.sizeBytes ?? 0);
      const status = served.head?.status;
      const mayBeElsewhere = status === 404 || status === 403;
      const alternative = mayBeElsewhere ? await this.#askElsewhere(page) : undefined;
      this.#noteLinks(page, served);
      found = judgeServedPage(this.#origin, page, served, alternative, this.#timing.now());
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
    if (!robotsAllow(this.#robots, this.#agent, path)) return undefined;
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
