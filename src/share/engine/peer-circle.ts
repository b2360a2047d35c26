import type { PeerMerge } from "./merge-peer.ts";

/**
 * The peers of a crawler: those that its operator chose, and some that its peers name. Only a peer of which enough was proved names
 * others, and what a named one says counts as little at first as what any unknown peer says.
 *
 * @see G. L. McLearn, Autonomous Cooperating Web Crawlers, M.Math. thesis, Waterloo 2002, section 7.2.1
 */
export class PeerCircle {
  readonly #chosen: ReadonlySet<string>;
  readonly #maxNamed: number;
  readonly #named = new Set<string>();

  /** @param chosen - addresses of web servers, as are all others @param maxNamed - most peers that others name */
  constructor(chosen: Iterable<string>, maxNamed: number) {
    this.#chosen = new Set(chosen);
    this.#maxNamed = maxNamed;
  }

  get size(): number {
    return this.#chosen.size + this.#named.size;
  }

  /** Whether the operator chose it. */
  isChosen(peer: string): boolean {
    return this.#chosen.has(peer);
  }

  /** Whether it is merged. */
  has(peer: string): boolean {
    return this.#chosen.has(peer) || this.#named.has(peer);
  }

  /**
   * Notes what a merge came to. A peer that somebody named and that is in quarantine is not merged any more.
   *
   * @param isQuarantined - what is known of a peer that is named
   * @returns the peers that are merged from now on
   */
  note({ peer, named, trust }: PeerMerge, isQuarantined: (peer: string) => boolean): string[] {
    if (trust.isQuarantined) this.#named.delete(peer);
    if (!trust.isProven) return [];
    const added = named
      .filter((other) => !this.has(other) && !isQuarantined(other))
      .slice(0, this.#maxNamed - this.#named.size);
    for (const other of added) this.#named.add(other);
    return added;
  }
}
