import type { ClaimStore, Clock, Random } from "../core/index.ts";
import { findStateFile, StateReader } from "../storage/index.ts";
import { ClaimBook } from "./engine/trust/claim-book.ts";
import { type PeerTrust, summarizeTrust, type TrustSummary } from "./engine/trust/peer-trust.ts";

/** Accounts of what peers claim, in a crawler's store. */
export function createClaimBook(store: ClaimStore, clock: Clock, random: Random = Math.random): ClaimBook {
  return new ClaimBook({ store, now: () => Math.floor(clock() / 1000), random });
}

/** How far a peer is trusted. */
export interface TrustedPeer extends TrustSummary {
  /** Address of its web server. */
  readonly peer: string;
}

/**
 * How far each peer is trusted that was ever merged, in the order of their addresses. Works while a crawl runs.
 *
 * @param from - folder of the mirrors (`into` of `crawlSite`), or the state file
 * @throws TidemarkError `not-found`, `state-corrupt`, `state-version`
 */
export function readTrustedPeers(from: string): TrustedPeer[] {
  using reader = new StateReader(findStateFile(from));
  return [...reader.readTrust().states].map(([peer, state]) => ({ peer, ...summarizeTrust(state as PeerTrust) }));
}
