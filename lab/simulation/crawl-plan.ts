import type { orderNames } from "../../src/crawler/engine/order/order-rule.ts";

/** How a simulated crawl goes about it. Letters are those of Castillo et al. */
export interface CrawlPlan {
  readonly order: (typeof orderNames)[number];
  /** r: connections at once, each to another site. */
  readonly connections: number;
  /** k: pages that one connection gives. */
  readonly pagesPerTurn: number;
  /** w: seconds from the end of a connection to the next one of that site. */
  readonly restSeconds: number;
  /** B: bytes a second of the crawler's own link; Infinity if it is never full. */
  readonly bytesPerSecond: number;
  /**
   * How the link is shared by n transfers: each gets at most `B / n ** sharing`. 1 is a link of that many bytes a second and no more, 0
   * gives each transfer B. @default 1
   */
  readonly sharing?: number;
  /** K: pages from one computing of ranks to the next, of *batch* and *partial*. */
  readonly batchPages: number;
  /** By page, for *optimal*. */
  readonly ranks?: Float32Array;
  /** For *random*. */
  readonly random?: () => number;
  /** It ends once so many pages were retrieved. @default when nothing is left */
  readonly stopAfterPages?: number;
}

/** Told what a simulated crawl does. Times are seconds from its beginning. */
export interface CrawlObserver {
  /** A page was retrieved. */
  page?(page: number, atSeconds: number): void;
  /** A site's connection ended. */
  turn?(site: number, fromSeconds: number, toSeconds: number): void;
  /** So many connections were busy for so long. */
  span?(fromSeconds: number, toSeconds: number, connections: number): void;
}

/** What a simulated crawl came to. */
export interface CrawlOutcome {
  readonly pages: number;
  readonly seconds: number;
  /** Seconds of all connections together; the rest of them nobody could be asked. */
  readonly busySeconds: number;
  readonly bytes: number;
}
