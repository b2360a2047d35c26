import type { EpochSeconds, Timing } from "../../core/index.ts";
import type { createFetcher } from "../../http/index.ts";
import type { LinkLog, Store, UrlQueue } from "../../storage/index.ts";
import type { GivenRanks } from "./priorities.ts";

/** What a crawl of the Web runs on, opened by the caller, who disposes of it. */
export interface WebMeans {
  /** When the crawl began: pages that were answered since then are done. */
  readonly since: EpochSeconds;
  readonly store: Store;
  readonly queue: UrlQueue;
  readonly links: LinkLog;
  /** With `optimal`. */
  readonly ranks: GivenRanks | undefined;
  /** Default: requests by HTTP. */
  readonly createFetcher?: typeof createFetcher;
  /** Waits. Default: real time. */
  readonly delay?: Timing["delay"];
  /** What was done is durable after so long at the latest. @default 1000 */
  readonly tickMs?: number;
  /** Is given work that no wait of `delay` measures: virtual time must not pass until it is done. */
  readonly untimed?: (work: Promise<void>) => void;
}
