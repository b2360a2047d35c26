export {
  type DayFileBounds,
  type DayFileCounts,
  DayFileReader,
  dayFileName,
  dayOf,
  formatWebEvent,
  parseDayFileName,
} from "./day-file.ts";
export {
  type ArchivedSite,
  type EventArchive,
  eventArchiveHeader,
  parseEventArchive,
  type SiteEvent,
  writeEventLine,
  writeSiteLine,
} from "./event-archive.ts";
export {
  type EventEntry,
  type EventIndex,
  eventGroup,
  eventIndexField,
  eventIndexName,
  eventsFolder,
  formatEventIndex,
  namedPeerField,
  parseEventIndex,
} from "./event-index.ts";
export { formatShareControl, isCrawlerName, parseShareControl, type ShareControl } from "./share-control.ts";
export {
  formatSignatures,
  formatSignedText,
  isSignatureKey,
  maxSignatureBytes,
  parseSignatures,
  signatureEnding,
  signatureKeyField,
} from "./share-signature.ts";
export { eventDigestLength, maxEventUrlLength, type WebEvent } from "./web-event.ts";
