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
  compileContentRules,
  type ExaminedContent,
  maxContentBytes,
} from "./content-rules.ts";
export { resemblance } from "./sketch.ts";
export { checkSignificant, loadTextComparison, type TextComparison } from "./text-comparison.ts";
