import type { Clock, CrawlEvent, EpochMs, PageOrder, SourceName, Timing, Usage } from "../core/index.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";
import type { PollPlannerName } from "./engine/revisit/poll-planners.ts";
import type { Keep, PageReceiver } from "./kept-site.ts";
import type { Politeness } from "./politeness.ts";

/** What to crawl, and where to keep it. */
export interface CrawlSiteOptions {
  /**
   * A URL of the site. If its path ends with `/`, such as `https://example.org/docs/`, only pages below it are requested
   * and kept; otherwise the whole origin.
   */
  readonly url: string;
  /** Folder of the mirrors; the site's lies in `<into>/<host>`, or `<into>/<host>_<port>`. */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /**
   * How bodies are kept in the site's folder: as a mirror; as WARC 1.1 files with CDXJ indexes, together with every
   * other response; the same plus `site.wacz`, packed after each visit; as objects in the store `objects`, which several machines
   * may use; or not at all. With a {@link PageReceiver} the
   * bodies go to its callbacks and are not kept. Changing this fetches the site again from the start.
   *
   * @default "mirror"
   */
  readonly keep?: Keep | PageReceiver;
  /**
   * Address of the store for `keep: "objects"`: a folder, which several machines may share, made if it is not there; or
   * `s3://bucket/prefix`, with `?endpoint=URL&region=NAME` if the environment does not say them. The bodies of a crawl are
   * below a prefix of their own.
   */
  readonly objects?: string;
  /** Size in bytes at which a WARC file is closed. Default 1,000,000,000. */
  readonly warcBytes?: number;
  /**
   * Most bytes of a package in which a site offers many pages at once; it is on disk while it is read. With 0, pages
   * are requested one by one. Packages are not used with WARC, which records what a server answered.
   *
   * @default 1073741824
   */
  readonly packageBytes?: number;
  /** Media types to fetch, such as `text/html` or `image/*`. Default: all. */
  readonly types?: readonly string[];
  /**
   * Patterns of paths with query: if there are any, only pages that match one are requested and kept. `*` is any number of
   * characters other than `/`, `**` any number of characters; a pattern that ends with `/` means everything below, one
   * that begins with `*` matches in every folder. Default: all.
   */
  readonly include?: readonly string[];
  /** Pages that match one of these patterns are not requested, and leave the mirror. Takes precedence. Default: none. */
  readonly exclude?: readonly string[];
  /**
   * Pages of which the site disallows one of these uses are not kept; those that are held leave. By robots.txt they are not
   * even requested. With WARC files it is refused, because these have what the server answered. Default: preferences
   * are recorded only.
   *
   * @see draft-ietf-aipref-vocab
   */
  readonly respectUsage?: readonly Usage[];
  /** Pages last modified before this are skipped on the first visit. Default: none. */
  readonly since?: EpochMs;
  /** Most page requests of this visit; remaining work waits for the next. Default: no bound. */
  readonly budget?: number;
  /** Concurrent requests. Default 1. */
  readonly concurrency?: number;
  /** Sources of changes; the best one that works is used. Default: all. */
  readonly sources?: readonly SourceName[];
  /** Start pages for following links, URLs or paths of the site. Default: the folder that `url` names, else `/`. */
  readonly starts?: readonly string[];
  /** URLs to request with the source `list`; those of other sites are ignored. */
  readonly urls?: AsyncIterable<string> | Iterable<string>;
  /** Most pages of the site to keep. Default: no bound. */
  readonly maxPages?: number;
  /** Most links between a start page and a page. Default: no bound. */
  readonly maxDepth?: number;
  /**
   * Order of requests for new pages if the site publishes no changes: it decides which pages are kept under `maxPages`,
   * and which come first under a budget.
   *
   * @default "depth"
   */
  readonly order?: PageOrder;
  /**
   * Whether to request only pages that have probably changed, if the site publishes no changes. Default: true if
   * `planner` is given.
   */
  readonly isPlanned?: boolean;
  /**
   * Whether to request known pages that neither a list of the site nor an event of another crawler names, if the site
   * publishes no changes.
   *
   * @default true
   */
  readonly isPolled?: boolean;
  /**
   * Any number, if other crawlers that poll the site tell of their polls: among the pages that were left alone for
   * about as long, each crawler chooses by an order of its own. Default: no other crawler does.
   */
  readonly sharingSeed?: number;
  /**
   * The planner that chooses pages to request if the site publishes no changes. All planners except `default`, `index`,
   * `nutch` and `stormcrawler` divide a budget and require one.
   *
   * @default "default"
   */
  readonly planner?: PollPlannerName;
  /**
   * How much a page matters beside others if a budget is spent by the planners `default` and `index`: above 0, of the page with this URL.
   *
   * @default 1 for each
   */
  readonly weightOf?: (url: string) => number;
  /** After so many milliseconds a page is fetched completely, whatever its validators say. Default 90 days. */
  readonly distrustMs?: number;
  /**
   * If the site publishes no changes: a change of an HTML page counts only if the similarity of its visible text with
   * the held version is below this, more than 0 and at most 1. Pages with only insignificant changes are not requested
   * more often, but are kept as served. Bodies in WARC files are not compared. Default: each change counts.
   *
   * @see Edwards, McCurley and Tomlin, *An Adaptive Model for Optimizing Performance of an Incremental Web
   *   Crawler*, WWW10 2001, section 2
   */
  readonly significant?: number;
  /**
   * Milliseconds after which a better source that the site lacked is looked for again; also when robots.txt changes.
   * Default 7 days.
   */
  readonly lookAgainMs?: number;
  /**
   * User and password as `user:password`, for Basic authentication, and for Digest if the site asks for it; goes before
   * those of `url`. They are sent to the site's own origin only, and are never stored. Default: those of `url`, if it has
   * any.
   */
  readonly auth?: string;
  /**
   * Whether the login is used for Digest authentication only, so that the password itself is never sent.
   *
   * @default false
   */
  readonly digest?: boolean;
  /**
   * Text of a file of cookies in Netscape form. Those for the site are sent to its own origin only; those that it sets
   * hold until the visit ends, and are never stored, not even in WARC files. Default: cookies are neither sent nor taken.
   */
  readonly cookies?: string;
  /**
   * Additional header fields of the requests to the site's own origin, which are not stored, not even in WARC files.
   * Fields that the crawler sets itself are refused. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Text of a key file of `tidemark identity init`, with which every request is signed after Web Bot Auth (RFC 9421).
   * Default: requests are not signed.
   */
  readonly identity?: string;
  /**
   * URL of a proxy for all requests, such as `http://user:password@proxy.example:3128`. The proxy resolves names, so that
   * only literal non-public addresses are refused; also with `socks5h://`, but not with `socks5://`. Default: none; the
   * environment is not read.
   */
  readonly proxy?: string;
  readonly userAgent?: string;
  /** Mail address of the crawler's operator, sent as the field From. Default: it is not sent. */
  readonly from?: string;
  /** PEM certificates of additional TLS authorities. Default: those that Node trusts. */
  readonly ca?: string;
  /** @deprecated It has no effect: requests use HTTP/1.1. */
  readonly http1?: boolean;
  /**
   * Whether redirects may lead to non-public addresses: loopback, private, link-local and the like. The site itself may
   * have one as long as it never had a public one. Default false.
   */
  readonly allowPrivate?: boolean;
  /**
   * Time limit of a small request in milliseconds, and of silence in a large one; each `leastBytesPerSecond` received
   * extend it by one second.
   *
   * @default 30000
   */
  readonly timeoutMs?: number;
  /** Minimum rate of a body in bytes per second. Default 65,536. */
  readonly leastBytesPerSecond?: number;
  /** Most bytes of a page. A larger one is refused, and its held version stays. Default 1 GiB. */
  readonly pageBytes?: number;
  /** Most bytes of all kept pages of the site together. Default 1 TiB. */
  readonly siteBytes?: number;
  /** Most bytes that this visit receives; the rest waits for the next. Default 64 GiB. */
  readonly visitBytes?: number;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Waits between attempts. Default: real time. */
  readonly delay?: Timing["delay"];
  /** Stops the visit; everything done so far is kept. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: CrawlEvent) => void;
  /**
   * Limits the request rate; concurrent crawls share one. Default: its own, with the defaults of {@link
   * createPoliteness}, and the `clock` and `delay` of this crawl.
   */
  readonly politeness?: Politeness;
}

/** One of many sites: how and when it is crawled, and how politely. */
export interface FollowedSite
  extends Omit<CrawlSiteOptions, "into" | "stateFile" | "politeness" | "clock" | "delay" | "signal" | "onEvent"> {
  /** 0 to 10: of the due sites those with a higher priority go first. Default 5. */
  readonly priority?: number;
  /** Shortest interval between visits. Default: a minute if the site publishes archives, else an hour. */
  readonly minIntervalMs?: number;
  /** Longest interval between visits, unless the site asks for more or cannot be reached. Default: a day. */
  readonly maxIntervalMs?: number;
  /** @deprecated `minIntervalMs` */
  readonly lookLeastMs?: number;
  /** @deprecated `maxIntervalMs` */
  readonly lookMostMs?: number;
  /** Politeness towards this site. Default: as for `createPoliteness`. */
  readonly politeness?: PolitenessOptions;
}
