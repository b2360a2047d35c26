import type { EpochSeconds } from "./time.ts";

/** What a peer can claim of a page. */
export type ClaimKind = "create" | "update" | "delete" | "same";

/** Something that a peer said of a page, and that our own next answer of that page proves or refutes. */
export interface PeerClaim {
  /** Address of the peer's web server. */
  readonly peer: string;
  /** Number of the page's site. */
  readonly site: number;
  readonly path: string;
  readonly kind: ClaimKind;
  /** The crawler that saw it, by the peer's word. */
  readonly source: string;
  /** When that crawler saw it. */
  readonly polledAt: EpochSeconds;
  /** When the claim was merged. */
  readonly mergedAt: EpochSeconds;
  /** Whether it moved the page's next visit; otherwise it waits until others say the same, or the peer has room. */
  readonly isOpen: boolean;
}

/** A claim whose page was answered since, or that is too old. */
export interface AnsweredClaim extends PeerClaim {
  /** What is known of the page now; undefined if the URL is not known any more. */
  readonly page:
    | {
        /** Whether it was answered since the claim was merged. */
        readonly isAnswered: boolean;
        readonly isHeld: boolean;
        /** Whether another version, or a deletion, was seen since. */
        readonly isChanged: boolean;
        readonly isDeleted: boolean;
        /** When the held version was made. */
        readonly modifiedAt: EpochSeconds | undefined;
        /** Why the last request brought nothing. */
        readonly trouble: string | undefined;
        /** Whether it is of a kind that is not kept. */
        readonly isLinkOnly: boolean;
      }
    | undefined;
}

/** What is known of peers when a merge begins. */
export interface StoredTrust {
  /** What was remembered of each peer, as it was given. */
  readonly states: ReadonlyMap<string, unknown>;
  /** How many claims of a peer about a site are open, by kind. */
  readonly open: ReadonlyArray<{
    readonly peer: string;
    readonly site: number;
    readonly kind: ClaimKind;
    readonly count: number;
  }>;
}

/** Keeps what peers claimed until it is proved or refuted, and how far each is trusted. */
export interface ClaimStore {
  readTrust(): StoredTrust;
  /** Claims about pages of a site, or the oldest of a peer that wait. */
  findClaims(
    of:
      | { readonly site: number; readonly paths: readonly string[] }
      | { readonly waitingOf: string; readonly limit: number },
  ): PeerClaim[];
  /** Paths of a site's pages of which something is claimed. */
  listClaimed(site: number): string[];
  /**
   * Keeps claims. One that is open stays as it is, but a promise: it takes the time of the last one, and news of the page ends it.
   * Claims about pages in trouble are left out.
   */
  keepClaims(claims: readonly PeerClaim[]): void;
  /** Open claims, the oldest first, whose pages were answered since, and all that were merged before a time. */
  listAnswered(expiredBefore: EpochSeconds, limit: number): AnsweredClaim[];
  /**
   * Removes claims and remembers peers, all of it or nothing. A state that is undefined is forgotten, with the peer's claims.
   *
   * @param withdrawnOf - peers whose open claims move no visit any more, unless others say the same. Promises of all peers are
   *   taken back then
   */
  settleClaims(settled: {
    readonly done: ReadonlyArray<Pick<PeerClaim, "peer" | "site" | "path">>;
    readonly states: ReadonlyArray<readonly [peer: string, state: unknown]>;
    readonly withdrawnOf: readonly string[];
  }): void;
}
