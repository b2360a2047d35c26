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

/**
 * Counts the URLs of one site, and again only after a write that changes a count. Nobody else writes of a site that is
 * open. O(its URLs) for each count.
 */
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
