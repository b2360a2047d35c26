export { Downloader } from "./downloader.ts";
export { compareFolders, type FolderDifference } from "./folder-difference.ts";
export { packageFolder } from "./package-folder.ts";
export {
  checkVisit,
  type DemoCheck,
  type DemoEvent,
  type DemoMethod,
  type DemoReport,
  type DemoVisit,
  demoMethods,
} from "./report.ts";
export { type FileState, SiteFolder } from "./site-folder.ts";
export { type DemoPage, planRound, planSite, type SiteRound } from "./site-plan.ts";
export { readTemplates, type Templates } from "./site-text.ts";
export { type Traffic, TrafficMeter } from "./traffic-meter.ts";
