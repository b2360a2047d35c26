import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";

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
