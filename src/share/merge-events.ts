import { type Clock, omitUndefined, type Random, wrapSystemError } from "../core/index.ts";
import { createFetcher, nodeCodec } from "../http/index.ts";
import { findStateFile, openStore } from "../storage/index.ts";
import { type MergeBounds, mergePeer, type PeerMerge } from "./engine/merge-peer.ts";
import { type CandidateCounts, PeerCandidates } from "./engine/peer-candidates.ts";
import { PeerCircle } from "./engine/peer-circle.ts";
import { isSigned } from "./file-signature.ts";
import { createClaimBook } from "./peer-trust.ts";

/** Bounds on what is taken of peers. */
export interface MergeLimits {
  /** Days that are asked for at the first merge, or after a longer time, today included. @default 30 */
  readonly days?: number;
  /** Most events of a peer's day. @default 1000000 */
  readonly maxEvents?: number;
  /** Most bytes of a day's file, decompressed. @default 268435456 */
  readonly maxFileBytes?: number;
  /** Most URLs that all peers together add to a site. @default 1000 */
  readonly maxNewPerSite?: number;
  /** Most crawlers that are merged because a peer names them of which enough was proved. @default 0 */
  readonly maxNamed?: number;
  /** Whether those may have private addresses. @default false */
  readonly allowPrivate?: boolean;
  readonly userAgent?: string;
}

/** Which peers to merge, and how much of them. */
export interface MergeEventsOptions extends MergeLimits {
  /** Addresses of their web servers. */
  readonly peers: readonly string[];
  /** Folder of the mirrors (`into` of `crawlSite`). */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /** Whether the peers begin anew: what they claimed, and whether that was true, is forgotten first. @default false */
  readonly isForgiving?: boolean;
  /** Whether a peer may sign with another key than before, or not any more; what it does now is held to. @default false */
  readonly isAcceptingKey?: boolean;
  readonly clock?: Clock;
  /** Which promises of proven peers are checked all the same. @default Math.random */
  readonly random?: Random;
  readonly signal?: AbortSignal;
  /** Called after each peer. */
  readonly onPeer?: (merge: PeerMerge) => void;
}

/** Most URLs that peers add to a site, if nothing else is said. */
export const defaultMaxNewPerSite = 1000;

/** The web servers of peers, each once. */
export function rootsOf(peers: readonly string[]): string[] {
  return [...new Set(peers.map((peer) => new URL("/", peer).href))];
}

/** What sends requests to peers. Disposed of by who called this. */
export function createPeerFetcher(
  roots: readonly string[],
  clock: Clock,
  { userAgent, allowPrivate }: MergeLimits,
): ReturnType<typeof createFetcher> {
  const allowedPrivateOrigins = roots.map((peer) => new URL(peer).origin);
  return createFetcher({ allowedPrivateOrigins, clock, ...omitUndefined({ userAgent, allowPrivate }) });
}

/** The bounds of one merge with one peer. */
export function boundsOf({
  days = 30,
  maxEvents = 1_000_000,
  maxFileBytes = 256 * 1024 * 1024,
}: MergeLimits): MergeBounds {
  return { days, maxEvents, maxFileBytes };
}

/** What merges came to. */
export interface MergeSummary extends Readonly<CandidateCounts> {
  readonly peers: readonly PeerMerge[];
}

/**
 * Merges the web events of other crawlers: they move the next visits of pages, and add URLs to sites that are crawled.
 * Nothing is fetched from sites, and nothing of what is held is changed or deleted.
 *
 * Holds the store exclusively. Killed at any instant, the next merge goes on from there; an event that is merged twice
 * does nothing the second time.
 *
 * @throws TidemarkError `not-found` if there is no crawler's state, `locked`, `state-corrupt`, `state-version`
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, chapter 3
 * @example
 * const { sooner, added } = await mergeEvents({ peers: ["https://crawler.example/"], into: "mirrors" });
 */
export async function mergeEvents(options: MergeEventsOptions): Promise<MergeSummary> {
  const { into, stateFile, peers, clock = Date.now, random, signal } = options;
  try {
    using store = openStore({ into, stateFile: findStateFile(stateFile ?? into) });
    const roots = rootsOf(peers);
    if (options.isForgiving === true)
      store.claims.settleClaims({ done: [], states: roots.map((root) => [root, undefined]), withdrawnOf: [] });
    await using requests = createPeerFetcher(roots, clock, options);
    const candidates = new PeerCandidates(
      store.peers,
      createClaimBook(store.claims, clock, random),
      options.maxNewPerSite ?? defaultMaxNewPerSite,
    );
    const merges: PeerMerge[] = [];
    const circle = new PeerCircle(roots, options.maxNamed ?? 0);
    // It grows.
    for (const peer of roots) {
      signal?.throwIfAborted();
      const ports = {
        requests,
        codec: nodeCodec,
        store: store.peers,
        now: clock,
        candidates,
        isSigned,
        isAcceptingKey: options.isAcceptingKey === true && circle.isChosen(peer),
      };
      const merge = await mergePeer(peer, ports, boundsOf(options), signal);
      merges.push(merge);
      roots.push(...circle.note(merge, (other) => candidates.trustOf(other).isQuarantined));
      options.onPeer?.(merge);
    }
    signal?.throwIfAborted();
    return { peers: merges, ...candidates.counts };
  } catch (error) {
    throw wrapSystemError(error, `merge into ${into}`, { folder: into });
  }
}
