export { type FeedEvent, type FeedMirrorOptions, type FeedSummary, feedMirror } from "./feed-mirror.ts";
