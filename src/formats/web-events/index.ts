export {
  type DayFileBounds,
  type DayFileCounts,
  DayFileReader,
  dayFileName,
  dayOf,
  formatWebEvent,
  parseDayFileName,
} from "./day-file.ts";
export { formatShareControl, isCrawlerName, parseShareControl, type ShareControl } from "./share-control.ts";
export type { WebEvent } from "./web-event.ts";
