export type { Mistake } from "./configuration.ts";
export { date, parseDate } from "./date.ts";
export { parseDuration } from "./duration.ts";
export { choices, mediaTypes } from "./list-kind.ts";
export { nearestWord } from "./nearest-word.ts";
export { type Setting, type SettingTable, settingRow } from "./setting.ts";
export {
  byteRate,
  choice,
  duration,
  flag,
  folderMappings,
  numberBetween,
  path,
  siteUrl,
  text,
  texts,
  wholeNumber,
} from "./setting-kind.ts";
export { findAddressMistakes, maxConfigurationBytes, parseConfiguration, siteMistake } from "./site-configuration.ts";
