import type { CrawlSummary, PassedOver, SitePosition } from "../../../core/index.ts";
import { type ReadingVisit, warn } from "./reading-visit.ts";

/** What a visit has come to, beside its numbers. */
export interface VisitEnd {
  readonly source: CrawlSummary["source"];
  readonly passedOver: readonly PassedOver[];
  readonly position: SitePosition | undefined;
}

/** Warns if the site answered, and refused each page that it was asked for: what is wrong may be on either side. */
function tellIfRefused(visit: ReadingVisit): void {
  const { refused } = visit.tally;
  if (refused === undefined) return;
  const { pages, status } = refused;
  const what = pages === 1 ? "the only page that was requested" : `all ${pages} pages that were requested`;
  warn(visit, "pages-refused", `The site refused ${what} (status ${status}). Copies that are held stay.`);
}

/**
 * Says of a site that it refused all pages that were requested, or that it answered no request and could not be reached. What
 * is remembered of a site, such as its robots.txt, can take the place of its answers: then only its pages tell that it is down.
 */
export function tellTrouble(visit: ReadingVisit, end: VisitEnd): VisitEnd {
  tellIfRefused(visit);
  const why = visit.tally.unreachable;
  const { source } = end;
  if (source === "none" || why === undefined) return end;
  const code = "site-unavailable";
  warn(visit, code, `${source}: ${why}`);
  return { ...end, source: "none", passedOver: [...end.passedOver, { source, code, why }] };
}
