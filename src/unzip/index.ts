export { openZip, type ReadEntryOptions, ZipEntries, type ZipLimits } from "./zip-entries.ts";
