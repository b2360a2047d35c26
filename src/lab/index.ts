export type { Experiment, Point, PointContext } from "./experiment.ts";
export { experiments } from "./experiments.ts";
export { FreshnessMeter } from "./hosts/freshness-meter.ts";
export type { HostServer } from "./hosts/host-server.ts";
export { type ReplayShape, replayHosts } from "./hosts/replayed-hosts.ts";
export { type HostAnswer, type HostKind, type HostRequest, hostKinds } from "./hosts/virtual-host.ts";
export { type HostsShape, makeHosts } from "./hosts/virtual-hosts.ts";
export { type Idle, type Reach, VirtualTime } from "./hosts/virtual-time.ts";
export {
  hasOwnData,
  type NearestWord,
  type Parameter,
  type ParameterTable,
  readParameters,
  type Values,
} from "./parameter.ts";
export type {
  ExportedArchive,
  ExportedSite,
  HistoryEvent,
  LabPorts,
  LinkedPages,
  PackedContent,
  RealSite,
} from "./ports.ts";
export { judgePublished, type PublishedNumber } from "./published.ts";
export type { CrawlObserver, CrawlOutcome, CrawlPlan } from "./simulation/crawl-plan.ts";
export { simulateCrawl } from "./simulation/simulate-crawl.ts";
export { generateWeb } from "./webs/generated-web.ts";
export { webOfGraph } from "./webs/read-web.ts";
export { findSiteExponent } from "./webs/site-sizes.ts";
export { countSitePages, type Web } from "./webs/web.ts";
export { defaultWebShape, type WebShape } from "./webs/web-shape.ts";
