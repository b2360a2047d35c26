export { openZip, type ReadEntryOptions, type ZipEntries, type ZipLimits } from "./zip-entries.ts";
