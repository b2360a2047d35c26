import type { CrawlEvent, CrawlSummary } from "../../../src/core/crawl-event.ts";
import { crawlSite } from "../../../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../../../src/crawler/crawl-site-options.ts";
import { type CreatePolitenessOptions, createPoliteness } from "../../../src/crawler/politeness.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { readMirror } from "./mirror.ts";
import { PublishedSite } from "./published-site.ts";

/** What a visit came to. */
export interface Visit {
  readonly summary: CrawlSummary;
  /** Requests that the site saw, as `status path`. */
  readonly requests: readonly string[];
  /** Codes of warnings and of items that failed. */
  readonly warnings: readonly string[];
  /** Pages' outcomes, as `outcome path`. */
  readonly pages: readonly string[];
  /** Waits, in milliseconds. */
  readonly waitsMs: readonly number[];
}

/** A site and a crawler with a mirror of its own, whose clock the test sets and whose waits take no time. */
export class Crawler implements AsyncDisposable {
  readonly site: PublishedSite;
  readonly folder: TempFolder;
  now = 1_800_000_000_000;
  /** How the site is spared. */
  politeness: CreatePolitenessOptions = {};

  constructor(site: PublishedSite, folder: TempFolder) {
    this.site = site;
    this.folder = folder;
  }

  /** @param pages - published in a base at once; default: nothing is published yet */
  static async open(pages?: Parameters<PublishedSite["set"]>[0]): Promise<Crawler> {
    const site = await PublishedSite.open();
    if (pages !== undefined) {
      site.set(pages);
      site.publishBase();
    }
    return new Crawler(site, makeTempFolder());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }

  async visit(options: Partial<CrawlSiteOptions> = {}): Promise<Visit> {
    const events: CrawlEvent[] = [];
    const waitsMs: number[] = [];
    this.site.takeRequests();
    const clock = (): number => this.now;
    const delay = async (delayMs: number): Promise<void> => {
      waitsMs.push(delayMs);
      this.now += delayMs;
    };
    const summary = await crawlSite({
      url: this.site.origin,
      into: this.folder.path,
      // What else a site without archives is followed by has tests of its own.
      sources: ["archives"],
      clock,
      delay,
      politeness: createPoliteness({ clock, delay, random: () => 0, ...this.politeness }),
      ...options,
      onEvent: (event) => {
        events.push(event);
        options.onEvent?.(event);
      },
    });
    return {
      summary,
      requests: this.site.takeRequests(),
      warnings: events.flatMap((event) =>
        event.event === "warning" || event.event === "item-error" ? [event.code] : [],
      ),
      pages: events.flatMap((event) => (event.event === "page" ? [`${event.outcome} ${event.path}`] : [])),
      waitsMs,
    };
  }

  /** Visits on the next day. */
  async visitNextDay(options: Partial<CrawlSiteOptions> = {}): Promise<Visit> {
    this.now += 86_400_000;
    return await this.visit(options);
  }

  /** What the mirror holds, by file name. */
  mirror(): Record<string, string> {
    return readMirror(this.folder.path, this.site.origin);
  }
}
