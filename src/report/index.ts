export { formatCrawlPage } from "./crawl-page.ts";
export {
  type CrawlCosts,
  type CrawlReportOptions,
  notModifiedBytes,
  readCrawlReport,
  type SiteReport,
  type VisitReport,
} from "./crawl-report.ts";
export { drawFigure } from "./figure-svg.ts";
export { formatFleetMetrics } from "./fleet-metrics.ts";
export { formatFollowerMetrics } from "./follower-metrics.ts";
export {
  type FollowerPageOptions,
  followerPageScript,
  followerPageStyle,
  renderFollowerPage,
  renderFollowerParts,
} from "./follower-page/index.ts";
export { formatGraphPage } from "./graph-page.ts";
export {
  formatLabels,
  formatMetrics,
  gauge,
  type Metric,
  type MetricFamily,
  type MetricsFormat,
  type Sample,
} from "./open-metrics.ts";
export { formatTrafficPage, type TrafficPageInput } from "./traffic-page.ts";
export { formatNoCrawl, formatWebMetrics } from "./web-metrics.ts";
