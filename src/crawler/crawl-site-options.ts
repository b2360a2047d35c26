import type { Clock, CrawlEvent, EpochMs, PageOrder, SourceName, Timing } from "../core/index.ts";
import type { PollPlannerName } from "./engine/revisit/poll-planners.ts";
import type { Keep, PageReceiver } from "./kept-site.ts";
import type { Politeness } from "./politeness.ts";

/** What to crawl, and where to keep it. */
export interface CrawlSiteOptions {
  /** Any URL of the site; the whole origin is crawled. */
  readonly url: string;
  /** Folder of the mirrors; the site's lies in `<into>/<host>`, or `<into>/<host>_<port>`. */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /**
   * How bodies are kept, in the site's folder: as a mirror; as WARC 1.1 with CDXJ indexes, together with every other
   * answer; the same and `site.wacz`, packed after each visit; or not at all. A {@link PageReceiver} is given them instead,
   * and nothing of them is kept here. Another choice begins the site anew.
   *
   * @default "mirror"
   */
  readonly keep?: Keep | PageReceiver;
  /** A WARC file that has reached this many bytes is closed. Default 1,000,000,000. */
  readonly warcBytes?: number;
  /**
   * Most bytes of a package in which a site offers many pages at once; it lies on the disk while it is read. 0: pages
   * are asked for one by one. Packages are not used where bodies are kept as WARC, which has what a server answered.
   *
   * @default 1073741824
   */
  readonly packageBytes?: number;
  /** Media types of the pages that are wanted, such as `text/html` or `image/*`. Default: all. */
  readonly types?: readonly string[];
  /** On the first visit, pages last modified before this are passed over. Default: none are. */
  readonly since?: EpochMs;
  /** Page requests that this visit may make; the rest stays work for another. Default: no bound. */
  readonly budget?: number;
  /** Requests under way at once. Default 1. */
  readonly concurrency?: number;
  /** Where changes are learned from; the first that works is used. Default: all, the best first. */
  readonly sources?: readonly SourceName[];
  /** Where links are followed from, URLs or paths of the site. Default `/`. */
  readonly starts?: readonly string[];
  /** URLs that are asked for where the source is `list`; those of other sites are passed over. */
  readonly urls?: AsyncIterable<string> | Iterable<string>;
  /** Most pages of the site that are kept. Default: no bound. */
  readonly maxPages?: number;
  /** Most links from a start to a page. Default: no bound. */
  readonly maxDepth?: number;
  /**
   * In which order pages that nobody has yet are asked for, where the site publishes no changes: it decides which are kept under
   * `maxPages`, and which come first under a budget.
   *
   * @default "depth"
   */
  readonly order?: PageOrder;
  /** Whether of a site that publishes no changes only pages are asked for that have probably changed. Default: whether `planner` is given. */
  readonly isPlanned?: boolean;
  /**
   * Which planner chooses the pages that are asked for of a site that publishes no changes. All but `default`, `index`, `nutch`
   * and `stormcrawler` divide a budget, and need one.
   *
   * @default "default"
   */
  readonly planner?: PollPlannerName;
  /** After so many milliseconds a page is fetched whole, whatever its validators say. Default 90 days. */
  readonly distrustMs?: number;
  /**
   * Of a site that publishes no changes a change of an HTML page counts only if its visible text resembles the held
   * one less than this, more than 0 and at most 1: pages that change in trifles only are not asked for more often. What
   * is served is kept all the same. Bodies in WARC files are not compared. Default: each change counts.
   *
   * @see Edwards, McCurley and Tomlin, *An Adaptive Model for Optimizing Performance of an Incremental Web
   *   Crawler*, WWW10 2001, section 2
   */
  readonly significant?: number;
  /**
   * A better source that the site had not is looked for again after so many milliseconds, or when robots.txt changes.
   * Default 7 days.
   */
  readonly lookAgainMs?: number;
  readonly userAgent?: string;
  /** An address at which whoever runs the crawler reads mail, sent as the field From. Default: it is not sent. */
  readonly from?: string;
  /** Certificates in PEM of further authorities that TLS trusts. Default: those that Node trusts. */
  readonly ca?: string;
  /** @deprecated It has no effect: HTTP/1.1 is what is spoken. */
  readonly http1?: boolean;
  /**
   * Whether redirects may lead to addresses that are not for everybody: loopback, private, link-local and the like. The
   * site itself may have one as long as no public one was seen. Default false.
   */
  readonly allowPrivate?: boolean;
  /**
   * Time for a small request in milliseconds, and the longest silence of a large one, which has a second more for each
   * `leastBytesPerSecond` that came.
   *
   * @default 30000
   */
  readonly timeoutMs?: number;
  /** A body that comes more slowly than this, in the long run, is given up. Default 65,536. */
  readonly leastBytesPerSecond?: number;
  /** Most bytes of a page. A larger one is refused, whatever was announced, and what is held of it stays. Default 1 GiB. */
  readonly pageBytes?: number;
  /** Most bytes of all pages of the site together that are kept. Default 1 TiB. */
  readonly siteBytes?: number;
  /** Most bytes that this visit receives; the rest waits for another. Default 64 GiB. */
  readonly visitBytes?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Waits between attempts. Default: real time. */
  readonly delay?: Timing["delay"];
  /** Stops the visit; everything that was done is kept. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
  /**
   * Where requests wait for their turn; crawls that run at the same time share one. Default: one of its own, with the
   * defaults of {@link createPoliteness}, and `clock` and `delay` of this crawl.
   */
  readonly politeness?: Politeness;
}
