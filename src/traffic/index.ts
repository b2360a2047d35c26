export { readTraffic, type TrafficEvent, type TrafficOptions, type TrafficSummary } from "./read-traffic.ts";
export type { Tally } from "./tally.ts";
export type {
  ArchiveUse,
  CrawlerTraffic,
  DayTraffic,
  HistoryTraffic,
  KindTraffic,
  Peak,
  SeenPages,
  TrafficGroup,
  TrafficReport,
} from "./traffic-report.ts";
