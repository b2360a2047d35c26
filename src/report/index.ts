export {
  type CrawlCosts,
  type CrawlReportOptions,
  notModifiedBytes,
  readCrawlReport,
  type SiteReport,
  type VisitReport,
} from "./crawl-report.ts";
export { drawFigure } from "./figure-svg.ts";
export { formatGraphPage } from "./graph-page.ts";
