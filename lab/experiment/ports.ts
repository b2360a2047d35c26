import type { Page } from "../../src/core/page.ts";
import type { LinkedPages } from "../webs/read-web.ts";
import type { Web } from "../webs/web.ts";

/** What the lab needs from outside. */
export interface LabPorts {
  /** Exports a site of real files with the real exporter, beside it, and opens what was published. */
  exportSite(site: RealSite): Promise<ExportedSite>;
  /** Reads a site's real changes, oldest first. @throws TidemarkError `not-found`, `bad-option` */
  readHistory(file: string): Promise<readonly HistoryEvent[]>;
  /**
   * Reads a web's graph from a file of arcs, or from the folder of a crawler's mirrors; `names` is a file with the names of its nodes, or "".
   *
   * @throws TidemarkError `not-found`, `bad-option`
   */
  readLinkedPages(place: string, names: string): Promise<LinkedPages>;
  /** Crawls a web in virtual time with the crawler of production, and removes what it wrote. */
  crawlWeb(web: Web, plan: WebCrawlPlan): Promise<readonly CrawledPage[]>;
  /**
   * Counts the requests of an access log, a file or its bytes, as `tidemark traffic` does.
   *
   * @throws TidemarkError `not-found`
   */
  readTraffic(log: string | Iterable<Uint8Array>): Promise<LoggedTraffic>;
  /** The media type of a file, by its path from the site's root; undefined if the exporter would hold it back by its name. */
  mediaTypeOf(path: string): string | undefined;
  /** Compresses as the exporter does. */
  pack(content: Uint8Array, kind: "archive" | "index"): PackedContent;
  /** The digest of a body, as pages have it. */
  digestOf(content: Uint8Array): string;
}

/** What an access log tells of crawlers. */
export interface LoggedTraffic {
  readonly requests: number;
  readonly bytes: number;
  /** Requests and bytes of pages, by the endings of their paths. */
  readonly pageRequests: number;
  readonly pageBytes: number;
  /** How many there are by name, and how many of them got a 304. */
  readonly crawlers: number;
  readonly crawlersWithNotModified: number;
  readonly days: readonly {
    readonly requests: number;
    readonly bytes: number;
    readonly crawlerRequests: number;
    readonly crawlerBytes: number;
  }[];
}

/** How a web is crawled by the crawler of production, from the home pages of all sites on. */
export interface WebCrawlPlan {
  readonly order: "depth" | "length" | "random" | "partial" | "batch" | "optimal";
  /** r of Castillo et al. */
  readonly connections: number;
  /** w, between two requests to a site. */
  readonly restSeconds: number;
  /** From each request to its answer. */
  readonly answerSeconds: number;
  /** K, of `batch`. */
  readonly batchPages: number;
  /** By page, for `optimal`. */
  readonly ranks?: Float64Array;
  /** It ends with so many pages. @default when nothing is left */
  readonly mostPages?: number;
  readonly seed: number;
  /** Requests known pages again. @default each page is requested once */
  readonly revisits?: WebRevisits;
  /** Is told of each page once it is retrieved. */
  readonly onPage?: (page: number) => void;
}

/** How known pages are requested again while new ones are. */
export interface WebRevisits {
  /** Share of page requests for new pages, 0 to 1. */
  readonly newShare: number;
  /** k, requests to a site until it rests. */
  readonly pagesBeforeRest: number;
  /** The crawl ends after so many days. */
  readonly days: number;
  /** Is told of each request of a page when it has ended, with the days since the crawl began. */
  readonly onRequest: (page: number, day: number) => void;
}

/** A page that was retrieved. */
export interface CrawledPage {
  readonly page: number;
  /** Since the crawl began. */
  readonly seconds: number;
  /** The pages that it links to, as the crawler kept them: each once. */
  readonly links: Uint32Array;
}

/** A site of real files. */
export type RealSite =
  | { readonly kind: "folder"; readonly root: string }
  /** This package's own documents. */
  | { readonly kind: "documents" }
  /** The site of `tidemark demo`. */
  | { readonly kind: "demonstration"; readonly pages: number };

/** What a site publishes. */
export interface ExportedSite extends AsyncDisposable {
  readonly pages: number;
  /** The index, the list of the base and what is in robots.txt, in bytes as they are served. */
  readonly listingBytes: number;
  /** The archives of the base, one after the other, read back from the disk. */
  archives(): AsyncIterable<ExportedArchive>;
}

/** An archive as it was read back. */
export interface ExportedArchive {
  readonly pages: readonly Page[];
  readonly plainBytes: number;
  readonly packedBytes: number;
}

/** What compression made of a content. */
export interface PackedContent {
  /** First 16 hex digits of the SHA-256 of the content, as archives are named. */
  readonly id: string;
  readonly sizeBytes: number;
  /** As it is served. */
  readonly bytes: Uint8Array;
}

/** What happened to one file of a site. */
export interface HistoryEvent {
  /** Seconds since 1970; never earlier than that of the event before. */
  readonly time: number;
  /** From the site's root, a character a byte. */
  readonly path: string;
  /** Size afterwards, 0 where it is not known; undefined if the file was deleted. */
  readonly sizeBytes: number | undefined;
}
