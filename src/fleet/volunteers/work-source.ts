import type { EpochMs } from "../../core/index.ts";

/** A page that is to be fetched. */
export interface SourcePage {
  readonly path: string;
  /** A word that is given back with it, such as how it was found. */
  readonly note: string;
}

/** Pages of one site. */
export interface SiteWork {
  /** Such as `https://example.org`. */
  readonly origin: string;
  readonly pages: readonly SourcePage[];
}

/** How the work on a site ended. */
export interface WorkEnd {
  readonly now: EpochMs;
  /** Paths that are to be given again. */
  readonly left: readonly string[];
  readonly isReachable: boolean;
}

/** What a page linked to. */
export interface FetchedPage extends SourcePage {
  readonly origin: string;
  readonly at: EpochMs;
  readonly isRedirect: boolean;
  readonly links: readonly string[];
}

/** Where units come from, and what became of their pages goes: a crawl. */
export interface WorkSource {
  /** Takes the next site that is due. Neither it nor another one of its address is given before {@link end}, and the rest after it. */
  next(now: EpochMs): SiteWork | undefined;
  end(origin: string, end: WorkEnd): void;
  /** Keeps links, and the pages that they lead to; durable when it returns. */
  take(pages: readonly FetchedPage[]): void;
  /** Puts pages that were given before in line again. */
  again(urls: readonly string[]): void;
  /** Whether a site is known. */
  knows(origin: string): boolean;
}
