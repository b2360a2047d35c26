import type { EpochMs, TidemarkError } from "../core/index.ts";
import type { CompanionMeans, FollowSitesOptions } from "../crawler/index.ts";
import { nodeCodec } from "../http/index.ts";
import { mergePeer, type PeerMerge } from "./engine/merge-peer.ts";
import { ModelSteering, type VisitSeen } from "./engine/model-steering.ts";
import { type CandidateCounts, PeerCandidates } from "./engine/peer-candidates.ts";
import { PeerCircle } from "./engine/peer-circle.ts";
import { bangBang, firstRho, fixedRho, MergeAllowance, type RhoController, type RhoState } from "./engine/rho.ts";
import { isSigned } from "./file-signature.ts";
import { boundsOf, createPeerFetcher, defaultMaxNewPerSite, type MergeLimits, rootsOf } from "./merge-events.ts";
import { createClaimBook } from "./peer-trust.ts";
import { isTemporaryFailure, type ShareEventsOptions, type ShareSummary, shareEvents } from "./share-events.ts";

/** How a crawler that goes on merges and shares. */
export interface ExchangeOptions extends MergeLimits {
  /** Addresses of the web servers of peers. */
  readonly peers: readonly string[];
  /**
   * The share of polls among polls and merges, from 0 to 1; `auto` lets it follow from what both bring, `model` from what both
   * cost, which also decides from how many peers to merge.
   *
   * @default "auto"
   */
  readonly rho?: number | "auto" | "model";
  /** A peer is merged, and what was seen is shared, at most once in this time. @default 600000 */
  readonly intervalMs?: number;
  /** By which the crawler orders pages of about the same age, so that not all crawlers poll the same. Default: at random. */
  readonly seed?: number;
  /** What is shared, and where; nothing if undefined. */
  readonly share?: Omit<ShareEventsOptions, "clock" | "signal">;
  /** Called after each merge. */
  readonly onMerge?: (merge: PeerMerge & Readonly<CandidateCounts> & { readonly rho: number }) => void;
  /** Called after each share. */
  readonly onShare?: (summary: ShareSummary) => void;
  /** Called after a share that failed with `locked` or `disk-full`: it is tried again after the interval. Other errors end the crawl. */
  readonly onShareFailed?: (error: TidemarkError) => void;
}

const day = 86_400_000;

/**
 * Merges peers and shares what was seen, beside the visits of `followSites`.
 *
 * Peers take turns, each at most once an interval, and no more merges are made than rho leaves room for. Sites of which a
 * peer tells something new are visited as soon as their least time between two visits is over.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, chapters 4 and 6
 */
export class EventExchange {
  readonly #options: ExchangeOptions;
  readonly #roots: readonly string[];
  readonly #controller: RhoController;
  readonly #allowance: MergeAllowance;
  readonly #intervalMs: number;
  /** Decides in place of the controller, if there is one. */
  readonly #model: ModelSteering | undefined;
  #now: () => EpochMs = Date.now;
  #rho: RhoState;
  #wake = new AbortController();

  constructor(options: ExchangeOptions) {
    const { rho = "auto", peers, intervalMs = 600_000 } = options;
    this.#options = options;
    this.#roots = rootsOf(peers);
    this.#controller = rho === "auto" ? bangBang : fixedRho;
    this.#rho = typeof rho === "number" ? { ...firstRho, rho } : firstRho;
    this.#model = rho === "model" ? new ModelSteering(this.#roots.length) : undefined;
    this.#allowance = new MergeAllowance(this.#roots.length);
    this.#intervalMs = intervalMs;
  }

  /** What `followSites` needs of it. */
  get means(): Pick<FollowSitesOptions, "companion" | "isPolled" | "sharingSeed"> {
    const sharing =
      this.#roots.length === 0 ? {} : { sharingSeed: this.#options.seed ?? Math.floor(Math.random() * 2 ** 32) };
    return { companion: (means) => this.run(means), isPolled: this.rho !== 0, ...sharing };
  }

  /** The share of polls at this moment. */
  get rho(): number {
    return this.#model?.plan.rho ?? this.#rho.rho;
  }

  /** Tells of a visit that ended. */
  noteVisit(visit: VisitSeen): void {
    const { requests, changes } = visit;
    this.#allowance.notePolls(requests, this.rho);
    this.#model?.noteVisit(visit, this.#now() / 1000);
    this.#rho = this.#controller(this.#rho, { kind: "polls", count: requests, events: Math.min(changes, requests) });
    this.#wake.abort();
  }

  /** Merges and shares until the signal. For `companion` of `followSites`. */
  async run(means: CompanionMeans): Promise<void> {
    this.#now = means.timing.now;
    await Promise.all([this.#mergeAll(means), this.#shareAll(means)]);
  }

  async #mergeAll({ peers: store, claims, timing, signal, expedite }: CompanionMeans): Promise<void> {
    if (this.#roots.length === 0) return;
    await using requests = createPeerFetcher(this.#roots, timing.now, this.#options);
    const due = new Map<string, EpochMs>(this.#roots.map((root) => [root, timing.now()]));
    const circle = new PeerCircle(this.#roots, this.#options.maxNamed ?? 0);
    // One listener: a signal made of two for each wait stays in memory as long as the crawl.
    signal.addEventListener("abort", () => this.#wake.abort(), { once: true });
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const [peer = "", at = 0] = [...due]
        .slice(0, this.#model?.plan.peers)
        .reduce((first, other) => (other[1] < first[1] ? other : first));
      if (at > timing.now() || !this.#allowance.take(this.rho)) {
        const waitMs = at > timing.now() ? at - timing.now() : day;
        await timing.delay(waitMs, this.#wake.signal);
        continue;
      }
      const candidates = new PeerCandidates(
        store,
        createClaimBook(claims, timing.now),
        this.#options.maxNewPerSite ?? defaultMaxNewPerSite,
      );
      const ports = { requests, codec: nodeCodec, store, now: timing.now, candidates, isSigned };
      const startedAt = timing.now();
      const merge = await mergePeer(peer, ports, boundsOf(this.#options), signal);
      if (signal.aborted) return;
      for (const other of circle.note(merge, (named) => candidates.trustOf(named).isQuarantined))
        due.set(other, timing.now());
      if (circle.has(peer)) due.set(peer, timing.now() + this.#intervalMs);
      else due.delete(peer);
      this.#allowance.most = circle.size;
      if (this.#model !== undefined) this.#model.peers = circle.size;
      const { counts } = candidates;
      this.#rho = this.#controller(this.#rho, { kind: "merge", events: counts.added + counts.sooner });
      const fresh = counts.added + counts.sooner;
      const seconds = (timing.now() - startedAt) / 1000;
      this.#model?.noteMerge({ records: merge.events, fresh, seconds }, timing.now() / 1000);
      for (const origin of candidates.takeChanged()) expedite(origin);
      this.#options.onMerge?.({ ...merge, ...counts, rho: this.rho });
    }
  }

  async #shareAll({ timing, signal }: CompanionMeans): Promise<void> {
    const { share } = this.#options;
    while (share !== undefined && !signal.aborted) {
      await timing.delay(this.#intervalMs, signal);
      // At the end too: what was seen since the last time is not lost for peers.
      try {
        this.#options.onShare?.(await shareEvents({ ...share, clock: timing.now }));
      } catch (error) {
        if (!isTemporaryFailure(error)) throw error;
        this.#options.onShareFailed?.(error);
      }
    }
  }
}
