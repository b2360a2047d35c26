import type { CrawlSummary, PassedOver, SitePosition } from "../../../core/index.ts";
import { type ReadingVisit, warn } from "./reading-visit.ts";

/** What a visit has come to, beside its numbers. */
export interface VisitEnd {
  readonly source: CrawlSummary["source"];
  readonly passedOver: readonly PassedOver[];
  readonly position: SitePosition | undefined;
}

/**
 * Says of a site that answered no request that it could not be reached. What is remembered of a site, such as its
 * robots.txt, can take the place of its answers: then only its pages tell that it is down.
 */
export function tellIfUnreachable(visit: ReadingVisit, end: VisitEnd): VisitEnd {
  const why = visit.tally.unreachable;
  const { source } = end;
  if (source === "none" || why === undefined) return end;
  const code = "site-unavailable";
  warn(visit, code, `${source}: ${why}`);
  return { ...end, source: "none", passedOver: [...end.passedOver, { source, code, why }] };
}
