import { type EpochSeconds, type ToldEvents, toldStandings } from "../../core/index.ts";
import { type Connection, prepareStatement } from "../sqlite/database.ts";

// Three texts for many rows. To hand over each row by itself costs more than to find it, and so does to join its columns: a text that SQLite joins
// is allocated anew. Of a URL that was answered after all events (+) there is nothing more to know; when it was asked before all of them does not matter.
const asked = "CASE WHEN asked >= ?3 THEN '+' WHEN asked >= ?4 THEN asked ELSE '' END";
const digest = "iif(asked >= ?3, '', coalesce(digest, ''))";
const textOf = (column: string): string => `group_concat(${column}, '\n') || '\n'`;
const sql = {
  last: "SELECT path FROM url WHERE site = ?1 AND path >= ?2 AND path <= ?3 ORDER BY path LIMIT 1 OFFSET ?4 - 1",
  // In the order of its index.
  near: `SELECT ${textOf("path")}, ${textOf(asked)}, ${textOf(digest)} FROM url INDEXED BY sqlite_autoindex_url_1
    WHERE site = ?1 AND path >= ?2 AND path <= ?5`,
  each: `SELECT '', ${textOf("asked")}, ${textOf("digest")} FROM (
    SELECT iif(u.id IS NULL, '-', ${asked}) AS asked, ${digest} AS digest
    FROM json_each(?2) j LEFT JOIN url u ON u.site = ?1 AND u.path = j.value ORDER BY j.key)`,
} as const;

/** So many URLs of a site are read in the order of their paths for each that is looked for, and some more. */
const [rowsPerEvent, moreRows] = [3, 16];
const [tab, lineFeed, plus, minus, zero] = [9, 10, 43, 45, 48];

/** Texts of the rows, a line each. */
type Rows = [paths: string | null, asked: string | null, digests: string | null];

/** Compares what peers tell of a site with its URLs, in one pass over both. */
export class ToldComparison {
  readonly #told: ToldEvents;
  readonly #from: number;
  readonly #standings: Uint8Array;
  #paths = "";
  #asked = "";
  #digests = "";
  /** Where the row that is read is in each of them. */
  #pathAt = 0;
  #askedAt = 0;
  #digestAt = 0;

  /** @param from - place of the site's first event @param to - one more than that of its last */
  constructor(told: ToldEvents, from: number, to: number) {
    this.#told = told;
    this.#from = from;
    this.#standings = new Uint8Array(to - from);
  }

  /** @returns by event, one of {@link toldStandings} */
  run(connection: Connection, site: number): Uint8Array {
    const count = this.#standings.length;
    if (count === 0) return this.#standings;
    const most = rowsPerEvent * count + moreRows;
    const [oldest, newest] = this.#span();
    const [first, last] = [this.#pathOf(0), this.#pathOf(count - 1)];
    const cut = prepareStatement(connection, sql.last).get(site, first, last, most) as [string] | undefined;
    this.#take(prepareStatement(connection, sql.near).get(site, first, newest, oldest, cut?.[0] ?? last));
    const left = this.#merge(cut !== undefined);
    if (left === count) return this.#standings;
    // The site has many more URLs between them: each is looked up.
    const paths = Array.from({ length: count - left }, (_, at) => this.#pathOf(left + at));
    this.#take(prepareStatement(connection, sql.each).get(site, JSON.stringify(paths), newest, oldest));
    for (let event = left; event < count; event++) {
      this.#standings[event] = this.#judge(event);
      this.#passRow();
    }
    return this.#standings;
  }

  #take(row: unknown): void {
    const [paths, asked, digests] = row as Rows;
    this.#paths = paths ?? "";
    this.#asked = asked ?? "";
    this.#digests = digests ?? "";
    this.#pathAt = this.#askedAt = this.#digestAt = 0;
  }

  /** When the first and the last of the events were seen. */
  #span(): [EpochSeconds, EpochSeconds] {
    let [oldest, newest] = [Infinity, 0];
    for (let event = 0; event < this.#standings.length; event++) {
      const polledAt = this.#told.polledAt[this.#from + event] as number;
      if (polledAt < oldest) oldest = polledAt;
      if (polledAt > newest) newest = polledAt;
    }
    return [oldest, newest];
  }

  #pathOf(event: number): string {
    const { content, pathStarts, pathEnds } = this.#told;
    const at = this.#from + event;
    return new TextDecoder("latin1").decode(content.subarray(pathStarts[at], pathEnds[at]));
  }

  /** @returns the first event that may have a row beyond the last that was read */
  #merge(isCut: boolean): number {
    const count = this.#standings.length;
    let event = 0;
    while (event < count) {
      if (this.#pathAt >= this.#paths.length) {
        if (isCut) break;
        this.#standings[event++] = toldStandings.unknown;
        continue;
      }
      const order = this.#comparePath(event);
      if (order < 0) this.#standings[event++] = toldStandings.unknown;
      else {
        if (order === 0) this.#standings[event] = this.#judge(event++);
        this.#passRow();
      }
    }
    return event;
  }

  /** Compares the path of an event with that of the row. */
  #comparePath(event: number): number {
    const { content, pathStarts, pathEnds } = this.#told;
    const paths = this.#paths;
    const end = pathEnds[this.#from + event] as number;
    let row = this.#pathAt;
    for (let at = pathStarts[this.#from + event] as number; at < end; at++, row++) {
      const difference = (content[at] as number) - paths.charCodeAt(row);
      // LF is less than all that paths have: a path that ended comes first.
      if (difference !== 0) return difference;
    }
    return paths.charCodeAt(row) === lineFeed ? 0 : -1;
  }

  /** What the row says of an event of its path. */
  #judge(event: number): number {
    const { content, digestStarts, polledAt } = this.#told;
    const asked = this.#asked;
    let at = this.#askedAt;
    let code = asked.charCodeAt(at);
    if (code === plus) return toldStandings.answered;
    if (code === minus) return toldStandings.unknown;
    if (code >= zero) {
      let askedAt = 0;
      for (; code >= zero; code = asked.charCodeAt(++at)) askedAt = askedAt * 10 + code - zero;
      if (askedAt >= (polledAt[this.#from + event] as number)) return toldStandings.answered;
    }
    const digests = this.#digests;
    let held = this.#digestAt;
    const digest = digestStarts[this.#from + event] as number;
    if (digest === 0 || digests.charCodeAt(held) === lineFeed) return toldStandings.mayBeSame;
    for (let of = digest; content[of] !== tab; of++, held++)
      if (content[of] !== digests.charCodeAt(held)) return toldStandings.differs;
    return toldStandings.mayBeSame;
  }

  #passRow(): void {
    this.#pathAt = this.#paths.indexOf("\n", this.#pathAt) + 1;
    this.#askedAt = this.#asked.indexOf("\n", this.#askedAt) + 1;
    this.#digestAt = this.#digests.indexOf("\n", this.#digestAt) + 1;
  }
}
