import type { ChangeKind } from "./change.ts";
import type { EpochSeconds } from "./time.ts";

/** A URL that a peer tells of. */
export interface ToldUrl {
  /** Number of its site. */
  readonly site: number;
  readonly path: string;
}

/** What is known of a URL that a peer tells of, and that was not answered since the peer saw it. */
export interface ToldUrlState {
  /** Its place in the list. */
  readonly at: number;
  /** Undefined if the URL is not known. */
  readonly id: number | undefined;
  /** Whether a peer may move its next visit: it is polled and was requested before, or is not known. */
  readonly isMovable: boolean;
  /** The own newest event; undefined if there is none. */
  readonly event:
    | {
        readonly kind: ChangeKind;
        readonly sizeBytes: number;
        readonly modifiedAt: EpochSeconds;
        /** Of the body that is held; undefined if none is, or if it is in doubt. */
        readonly digest: string | undefined;
        /** When it was seen. */
        readonly at: EpochSeconds;
      }
    | undefined;
  /** When it was last answered; undefined if it never was. */
  readonly askedAt: EpochSeconds | undefined;
}

/** Events of a peer as bytes, those of a site in the order of their paths: what is looked up of many at a time. */
export interface ToldEvents {
  readonly content: Uint8Array;
  /** By the place of an event: where its path, with query, begins and ends, as it is stored. */
  readonly pathStarts: Uint32Array;
  readonly pathEnds: Uint32Array;
  /** Where the first characters of the page's digest begin, which end before a TAB; 0 if there are none. */
  readonly digestStarts: Uint32Array;
  /** When the peer saw the URL, in seconds since 1970. */
  readonly polledAt: Float64Array;
}

/** How a URL that a peer tells of stands here. */
export const toldStandings = {
  /** It was answered since: the event tells nothing. */
  answered: 0,
  /** It is not known. */
  unknown: 1,
  /** It is known, and another version is held than the peer found, as their digests say. */
  differs: 2,
  /** It is known, and the version that is held may be that of the peer. */
  mayBeSame: 3,
} as const;

/** How the next visits of URLs move. */
export interface MovedUrls {
  readonly added: readonly ToldUrl[];
  /** Ids of those that are polled at the next visit. */
  readonly sooner: readonly number[];
  /** Ids, when a peer found the version that is held, and the time before which they are not polled; 0 if there is none. */
  readonly later: ReadonlyArray<readonly [id: number, checkedAt: EpochSeconds, dueAt: EpochSeconds]>;
}

/** A site that peers may tell of. */
export interface PeerSite {
  readonly id: number;
  readonly origin: string;
  /** Whether its pages are polled: of others no peer moves a visit. */
  readonly isPolled: boolean;
}

/** What merging the events of other crawlers needs of a crawler's store. */
export interface PeerStore {
  /** A site of this crawler, with its origin as it is stored; undefined if it has none of this origin. */
  findSite(origin: string): PeerSite | undefined;
  /** Of URLs of a site, those that were not answered since a peer saw them. */
  lookAtNews(
    site: number,
    urls: ReadonlyArray<{ readonly path: string; readonly polledAt: EpochSeconds }>,
  ): ToldUrlState[];
  /**
   * How URLs of a site stand, by {@link toldStandings}: as {@link lookAtNews} would find, faster and with less.
   *
   * @param from - place of the first event
   * @param to - one more than that of the last
   */
  compare(site: number, told: ToldEvents, from: number, to: number): Uint8Array;
  /** Moves visits durably: all of them or none. Done twice, it is as if it were done once. */
  move(moved: MovedUrls): void;
  /** Makes what is done durable together with what claims are kept in it: all of it or nothing. */
  together(act: () => void): void;
  /** What is remembered of a peer, as it was given; undefined if nothing. */
  readPeer(url: string): unknown;
  /** Remembers anything that JSON carries of a peer. */
  writePeer(url: string, state: unknown): void;
}
