export { type CdxjEntry, formatCdxjLine, parseCdxjLine } from "./cdxj.ts";
export { WarcDecoder } from "./warc-decoder.ts";
export {
  formatBase32,
  formatRecordId,
  formatWarcFields,
  formatWarcHead,
  maxWarcHeadBytes,
  revisitProfiles,
  type WarcHead,
  warcRecordEnd,
} from "./warc-record.ts";
