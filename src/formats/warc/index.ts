export { type CdxjEntry, formatCdxjLine, parseCdxjLine } from "./cdxj.ts";
export {
  formatBase32,
  formatRecordId,
  formatWarcFields,
  formatWarcHead,
  maxWarcHeadBytes,
  revisitProfiles,
  WarcDecoder,
  type WarcHead,
  warcRecordEnd,
} from "./warc-record.ts";
