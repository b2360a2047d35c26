import type { UrlCounts } from "../../core/index.ts";
import { type Connection, prepareStatement } from "../sqlite/database.ts";

const sql = `SELECT count(digest), coalesce(sum(size), 0), count(*) FILTER (WHERE work IN ('due', 'delete')),
  count(*) FILTER (WHERE work = 'disallowed' OR (trouble = 'usage' AND work IS NOT NULL)), count(state), count(*) FILTER (WHERE state = 'new'),
  count(*) FILTER (WHERE (state = 'disallowed' AND work IS NOT 'disallowed') OR (trouble = 'usage' AND work IS NULL)),
  count(*) FILTER (WHERE state = 'known' AND fetched IS NULL AND asked IS NOT NULL),
  count(*) FILTER (WHERE unconfirmed = 1), count(digest) FILTER (WHERE state IS NULL) FROM url WHERE site = ?1`;

type Row = [number, number, number, number, number, number, number, number, number, number];

interface Counted extends UrlCounts {
  /** Polled and held, with a body in doubt. */
  readonly doubted: number;
  readonly unconfirmed: number;
  /** Held, and no source names them. */
  readonly unnamed: number;
}

/** Counts the URLs of one site, and again only after a write that changes a count. O(its URLs) for each count. */
export class SiteCounts {
  readonly #connection: Connection;
  readonly #site: number;
  #known: Counted | undefined;

  constructor(connection: Connection, site: number) {
    this.#connection = connection;
    this.#site = site;
  }

  read(): Counted {
    this.#known ??= this.#count();
    return this.#known;
  }

  /** What was counted, if it still holds; costs nothing. */
  get known(): Counted | undefined {
    return this.#known;
  }

  /** To be called after a write that changes no count but that of the bytes. */
  grow(bytes: number): void {
    if (this.#known !== undefined && bytes !== 0)
      this.#known = { ...this.#known, heldBytes: this.#known.heldBytes + bytes };
  }

  /** To be called after a write that changes a count. */
  forget(): void {
    this.#known = undefined;
  }

  #count(): Counted {
    const row = prepareStatement(this.#connection, sql).get(this.#site) as Row;
    const [held, heldBytes, pending, disallowed, known, fresh, disallowedPolled, doubted, unconfirmed, unnamed] = row;
    return { held, heldBytes, pending, disallowed, known, fresh, disallowedPolled, doubted, unconfirmed, unnamed };
  }
}

/** So many are kept of sites that are not open; some 200 bytes each. */
const mostKept = 4096;

/**
 * The counts of sites, also while they are not open: of a large site, many visits of a few requests would each count anew. Whoever
 * writes of URLs in any other way than by a {@link StoredUrls} says so here.
 */
export class KeptCounts {
  readonly #connection: Connection;
  readonly #isOpen: (site: number) => boolean;
  /** In the order in which they were opened. */
  readonly #sites = new Map<number, SiteCounts>();

  constructor(connection: Connection, isOpen: (site: number) => boolean) {
    this.#connection = connection;
    this.#isOpen = isOpen;
  }

  of(site: number): SiteCounts {
    const counts = this.#sites.get(site) ?? new SiteCounts(this.#connection, site);
    this.#sites.delete(site);
    this.#sites.set(site, counts);
    this.#dropOldest();
    return counts;
  }

  /** To be called after a write to URLs of a site. */
  forget(site: number): void {
    this.#sites.get(site)?.forget();
  }

  /** To be called after a write to URLs of any sites. */
  forgetAll(): void {
    for (const counts of this.#sites.values()) counts.forget();
  }

  #dropOldest(): void {
    for (const site of this.#sites.keys()) {
      if (this.#sites.size <= mostKept) return;
      if (!this.#isOpen(site)) this.#sites.delete(site);
    }
  }
}
