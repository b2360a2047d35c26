import { type Connection, prepareStatement } from "../sqlite/database.ts";

const sql = `SELECT p.*, w.*, t.* FROM
  (SELECT count(*), coalesce(sum(size), 0) FROM page WHERE site = ?1) p,
  (SELECT count(*) FILTER (WHERE state = 'due'), count(*) FILTER (WHERE state = 'disallowed') FROM work WHERE site = ?1) w,
  (SELECT count(*), count(*) FILTER (WHERE state = 'new'), count(*) FILTER (WHERE state = 'disallowed'),
    count(*) FILTER (WHERE state = 'known' AND full IS NULL AND asked IS NOT NULL),
    count(*) FILTER (WHERE unconfirmed = 1) FROM target WHERE site = ?1) t`;

type Row = [number, number, number, number, number, number, number, number, number];

/** How many rows of each kind a site has. */
interface Counted {
  /** Pages that are held, and their bytes. */
  readonly held: number;
  readonly heldBytes: number;
  /** Work that is due, and that is disallowed. */
  readonly due: number;
  readonly disallowedWork: number;
  /** Targets; of these: never asked for, disallowed, held and in doubt, to be confirmed. */
  readonly targets: number;
  readonly fresh: number;
  readonly disallowedTargets: number;
  readonly doubted: number;
  readonly unconfirmed: number;
}

/**
 * Counts what there is of one site, all at once, and again only after something was written that changes it. Nobody else writes of
 * a site that is open. O(its pages) for each count.
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

  /** To be called after a write that changes one of them. */
  forget(): void {
    this.#known = undefined;
  }

  #count(): Counted {
    const row = prepareStatement(this.#connection, sql).get(this.#site) as Row;
    const [held, heldBytes, due, disallowedWork, targets, fresh, disallowedTargets, doubted, unconfirmed] = row;
    return { held, heldBytes, due, disallowedWork, targets, fresh, disallowedTargets, doubted, unconfirmed };
  }
}
