export { type CopyMirrorOptions, type CopySummary, copyMirror } from "./copy-mirror.ts";
