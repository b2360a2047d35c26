export { type Configuration, checkConfiguration, type Document, type Mistake } from "./configuration.ts";
export { date, parseDate } from "./date.ts";
export { parseDuration } from "./duration.ts";
export { type JsonDocument, type Position, parseJsonDocument } from "./json-document.ts";
export { choices, mediaTypes } from "./list-kind.ts";
export { nearestWord } from "./nearest-word.ts";
export { type Setting, type SettingTable, settingRow } from "./setting.ts";
export {
  byteRate,
  choice,
  duration,
  type FolderMapping,
  flag,
  folderMappings,
  numberBetween,
  path,
  type SettingKind,
  siteUrl,
  text,
  texts,
  wholeNumber,
  type Zod,
} from "./setting-kind.ts";
