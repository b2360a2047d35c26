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
export { type FoundLink, type LinkKind, pageKinds } from "./found-link.ts";
export { type LinkOptions, LinkReader, type PageLinks, readLinks, readStyleLinks } from "./page-links.ts";
export { resemblance } from "./sketch.ts";
