import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import type { PolitenessOptions } from "./engine/politeness/politeness-options.ts";

/** One of many sites: how it is crawled, when, and how it is spared. */
export interface FollowedSite
  extends Omit<CrawlSiteOptions, "into" | "stateFile" | "politeness" | "clock" | "delay" | "signal" | "onEvent"> {
  /** From 0 to 10: of sites that are due those with more go first. Default 5. */
  readonly priority?: number;
  /** It is looked at again no sooner. Default: a minute if it publishes archives, else an hour. */
  readonly minIntervalMs?: number;
  /** It is looked at again no later, unless it asked for that or cannot be had. Default: a day. */
  readonly maxIntervalMs?: number;
  /** How it is spared. Default: as of `createPoliteness`. */
  readonly politeness?: PolitenessOptions;
}
