export {
  type ContentMark,
  type Cover,
  contentDigestLength,
  decodeMark,
  encodeMark,
  type MarkedContent,
  maxMarkBytes,
} from "./content-mark.ts";
export {
  type ContentRuleSource,
  type ContentRules,
  checkSignificant,
  compileContentRules,
  loadTextComparison,
  maxContentBytes,
  type TextComparison,
} from "./content-rules.ts";
export { decodeHtml, decodeSheet } from "./html-decoder.ts";
export { readTags } from "./html-tags.ts";
export { kindOfLink } from "./link-attributes.ts";
export { type FoundLink, pageKinds } from "./link-list.ts";
export { decodeReferences, readRefresh, readSrcset } from "./link-values.ts";
export { type PageHead, readPageHead } from "./page-head.ts";
export { isLanguageTag, readLinks, readStyleLinks } from "./page-links.ts";
export { readRobotsTag } from "./robots-tag.ts";
export { type Inclusion, parseInclude } from "./server-side-includes.ts";
export { resemblance } from "./sketch.ts";
export { readStyleReferences } from "./style-links.ts";
