// Loaded by itself where a configuration is read: a door that is imported when the program runs brings all of its folder.
export { readCrawlConfiguration } from "../../crawler/index.ts";
