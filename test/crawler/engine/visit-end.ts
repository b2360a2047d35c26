import type { CrawlSummary } from "../../../src/core/crawl-event.ts";
import type { VisitEnd } from "../../../src/crawler/engine/visit-plan.ts";

const nothing: CrawlSummary = {
  site: "https://a.example",
  source: "archives",
  passedOver: [],
  requests: 2,
  pageRequests: 0,
  notModified: 2,
  metadataBytes: 0,
  pageBytes: 0,
  packageBytes: 0,
  packedPages: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 10,
  failed: 0,
  differing: 0,
  disallowed: 0,
  pending: 0,
  cursor: undefined,
  elapsedMs: 10,
};

interface Ending {
  readonly summary?: Partial<CrawlSummary>;
  readonly publications?: readonly number[];
  readonly nextDueAt?: number;
  readonly restsUntil?: number;
  readonly isCutShort?: boolean;
}

/** How a visit ended that came to nothing new, but for what is given. */
export function done({ summary, publications, nextDueAt, restsUntil = 0, isCutShort = false }: Ending = {}): VisitEnd {
  const polls = { polled: 0, changed: 0, seconds: 0 };
  const result = { summary: { ...nothing, ...summary }, publications, held: 0, polls, nextDueAt, restsUntil };
  return { kind: "done", result, isCutShort };
}
