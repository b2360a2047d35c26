export { formatBytes, formatCount, formatElapsed, formatMoment, formatNoun, formatSpan } from "./quantity.ts";
