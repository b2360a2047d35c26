export { type FeedEntry, formatAtom, formatJsonFeed, readFeedMark, type SiteFeed } from "./site-feed.ts";
