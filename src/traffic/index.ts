export { readTraffic, type TrafficEvent, type TrafficOptions, type TrafficSummary } from "./read-traffic.ts";
export type { Tally } from "./tally.ts";
export type { TrafficGroup } from "./traffic-report.ts";
