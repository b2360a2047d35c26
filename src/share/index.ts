export type { PeerMerge } from "./engine/merge-peer.ts";
export { EventExchange, type ExchangeOptions } from "./event-exchange.ts";
export { type MergeEventsOptions, type MergeSummary, mergeEvents } from "./merge-events.ts";
export { readTrustedPeers, type TrustedPeer } from "./peer-trust.ts";
export {
  isTemporaryFailure,
  type ShareEventsOptions,
  type ShareSummary,
  shareEvents,
  shareRobotsLines,
} from "./share-events.ts";
