export { formatHttpDate, parseHttpDate } from "./http-date.ts";
export {
  decodeHttpHead,
  describeRepresentation,
  encodeHttpHead,
  fieldOf,
  headOfRecordedBody,
  maxHttpHeadBytes,
  statusOf,
} from "./http-head.ts";
