import type { SiteFacts } from "../../../core/index.ts";
/** How sites are spared. Each may be left out. */
export interface PolitenessOptions {
  /**
   * Requests to a site or an address before it is given a rest: k of Castillo et al.
   *
   * @default 10; 100 for a site that publishes archives
   */
  readonly pagesBeforeRest?: number | undefined;
  /**
   * How long the rest is, in milliseconds: w of Castillo et al.
   *
   * @default 15000; 1000 for a site that publishes archives
   */
  readonly restMs?: number | undefined;
  /** Least time from an answer of a site to the next request, in milliseconds; a longer Crawl-delay holds. Default 0. */
  readonly crawlDelayMs?: number | undefined;
  /** Whether a site on a loopback address is given rests too. Default false: it is one's own. */
  readonly loopbackRests?: boolean | undefined;
  /** Longest wait for a turn; what would wait longer is told so instead. Default 300,000. */
  readonly maxWaitMs?: number | undefined;
  /** No Retry-After keeps us away for longer than this. Default a day. */
  readonly maxRetryAfterMs?: number | undefined;
}

/** How fast a site or an address may be asked. */
export interface Pace {
  /** Requests between two rests; Infinity if there are none. */
  readonly pagesBeforeRest: number;
  readonly restMs: number;
  /** Time from an answer to the next request. */
  readonly gapMs: number;
  readonly maxUnderWay: number;
}

/**
 * Plans at which pace a site may be asked.
 *
 * @param isLoopback - whether the site is on a loopback address
 * @see C. Castillo, M. Marin, A. Rodriguez, R. Baeza-Yates, Scheduling Algorithms for Web Crawling, section 4
 */
export function planPace(options: PolitenessOptions, facts: SiteFacts, isLoopback: boolean): Pace {
  const rests = !isLoopback || options.loopbackRests === true;
  const usual = facts.hasArchives ? { pages: 100, restMs: 1000 } : { pages: 10, restMs: 15_000 };
  const pagesBeforeRest = rests ? (options.pagesBeforeRest ?? usual.pages) : Number.POSITIVE_INFINITY;
  const restMs = rests ? (options.restMs ?? usual.restMs) : 0;
  const crawlDelayMs = Math.max(options.crawlDelayMs ?? 0, facts.crawlDelayMs);
  const maxUnderWay = crawlDelayMs > 0 ? 1 : Math.max(1, facts.concurrency);
  return { pagesBeforeRest, restMs, gapMs: crawlDelayMs, maxUnderWay };
}

/** Plans at which pace the address of a site may be asked: a Crawl-delay is the site's own word, not its neighbours'. */
export function planAddressPace(options: PolitenessOptions, facts: SiteFacts, isLoopback: boolean): Pace {
  const pace = planPace({ ...options, crawlDelayMs: 0 }, { ...facts, crawlDelayMs: 0 }, isLoopback);
  return { ...pace, maxUnderWay: planPace(options, facts, isLoopback).maxUnderWay };
}
