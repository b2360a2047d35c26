export type { Experiment, Point, PointContext } from "./experiment.ts";
export { experiments } from "./experiments.ts";

export type { HostServer } from "./hosts/host-server.ts";
export type { ReplayShape } from "./hosts/replayed-hosts.ts";
export type { HostAnswer, HostKind, HostRequest } from "./hosts/virtual-host.ts";
export type { HostsShape } from "./hosts/virtual-hosts.ts";
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

export type { Web } from "./webs/web.ts";
export type { WebShape } from "./webs/web-shape.ts";
