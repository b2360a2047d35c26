export { parseContentSignal, parseContentUsage } from "./content-usage.ts";
export { readUsageFields, readUsageMeta, type UsageReader } from "./robots-tags.ts";
