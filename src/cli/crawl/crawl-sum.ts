import type { CrawlSummary } from "../../core/index.ts";

const nothing: CrawlSummary = {
  site: "",
  source: "none",
  passedOver: [],
  requests: 0,
  pageRequests: 0,
  notModified: 0,
  metadataBytes: 0,
  pageBytes: 0,
  packageBytes: 0,
  packedPages: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  failed: 0,
  differing: 0,
  disallowed: 0,
  pending: 0,
  cursor: undefined,
  elapsedMs: 0,
};

/** The sum of visits to several sites; that of one visit is the visit's own. */
export function addCrawlSummaries(summaries: readonly CrawlSummary[]): CrawlSummary {
  const [first, ...others] = summaries;
  if (first === undefined) return nothing;
  return others.length === 0 ? first : summaries.reduce(addTwo, nothing);
}

function addTwo(sum: CrawlSummary, visit: CrawlSummary): CrawlSummary {
  const entries = Object.entries(nothing).map(([key, zero]) => {
    const name = key as keyof CrawlSummary;
    return [name, typeof zero === "number" ? Number(sum[name]) + Number(visit[name]) : zero] as const;
  });
  return {
    ...(Object.fromEntries(entries) as unknown as CrawlSummary),
    site: sum.site === "" ? visit.site : `${sum.site} ${visit.site}`,
    source: visit.source === "none" ? sum.source : visit.source,
  };
}
