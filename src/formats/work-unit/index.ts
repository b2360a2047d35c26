export {
  formatWorkResult,
  isCanonicalLink,
  maxResultBytes,
  parseWorkResult,
  type UnansweredReason,
  type WorkPage,
  type WorkResult,
} from "./work-result.ts";
export { formatWorkUnit, maxUnitBytes, parseWorkUnit, type WorkUnit } from "./work-unit.ts";
