export type { Mistake } from "./configuration.ts";
export { date } from "./date.ts";
export { choices, mediaTypes } from "./list-kind.ts";
export { nearestWord } from "./nearest-word.ts";
export { helpOf, type Setting, type SettingsOf, type SettingTable, settingRow } from "./setting.ts";
export {
  byteRate,
  choice,
  converted,
  countOf,
  duration,
  flag,
  folderMappings,
  numberBetween,
  path,
  siteUrl,
  text,
  texts,
  timeSpan,
  wholeNumber,
} from "./setting-kind.ts";
export { findAddressMistakes, maxConfigurationBytes, parseConfiguration, siteMistake } from "./site-configuration.ts";
