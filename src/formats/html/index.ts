export {
  type ContentMark,
  type Cover,
  contentDigestLength,
  decodeMark,
  encodeMark,
  type MarkedContent,
  maxMarkBytes,
} from "./content-mark.ts";
export { type ContentRuleSource, type ContentRules, compileContentRules, maxContentBytes } from "./content-rules.ts";
export { type FoundLink, pageKinds } from "./found-link.ts";
export { readLinks, readStyleLinks } from "./page-links.ts";
export { type ServedForm, servedFormOf } from "./served-form.ts";
export { type Inclusion, parseInclude } from "./server-side-includes.ts";
export { resemblance } from "./sketch.ts";
export { checkSignificant, loadTextComparison, type TextComparison } from "./text-comparison.ts";
