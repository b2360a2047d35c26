export { type ListenAddress, listenAddress } from "./address-kind.ts";
export {
  findAddressMistakes,
  type Mistake,
  maxConfigurationBytes,
  parseConfiguration,
  siteMistake,
} from "./configuration.ts";
export { choices, mediaTypes } from "./list-kind.ts";
export { nearestWord } from "./nearest-word.ts";
export { helpOf, type Setting, type SettingsOf, type SettingTable, settingRow, signatureOf } from "./setting.ts";
export {
  byteRate,
  choice,
  converted,
  countOf,
  flag,
  folderMappings,
  mustBe,
  numberBetween,
  path,
  type SettingKind,
  siteUrl,
  siteUrls,
  text,
  texts,
  wholeNumber,
} from "./setting-kind.ts";
export { date, duration, timeSpan } from "./time-kind.ts";
