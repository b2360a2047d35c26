export { type CallRecord, readCalls } from "./call-log.ts";
export type { AnnouncePorts, ChangeReading, ChangeSource } from "./ports.ts";
export type { TellingOptions } from "./site-calls.ts";
export { checkKey, chooseKey, indexNowFolderName, keyPath, placeKeyFile, readKeys } from "./site-key.ts";
export { tellChanges } from "./telling.ts";
