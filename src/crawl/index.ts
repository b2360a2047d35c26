export { type ChainRequest, intervalKey, planChain, requestCostBytes } from "./chain.ts";
export { type ChangeStream, openChangeStream, type StreamOptions } from "./change-stream.ts";
export { type Judgement, judgePage, type PageFinding, patienceVisits } from "./page-judgement.ts";
export type {
  Bodies,
  BodyWriter,
  ChangeMerge,
  Codec,
  CrawlPorts,
  Intake,
  PageDigest,
  ReadingPorts,
  Requests,
  SiteMemory,
  Timing,
  WorkCounts,
  WorkList,
} from "./ports.ts";
export { type Avoided, planReading, type ReadingPlan, type Wanted } from "./reading-plan.ts";
export { type VisitOptions, visitSite } from "./visit-site.ts";
