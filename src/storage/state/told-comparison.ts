import { type EpochSeconds, type ToldEvents, toldStandings } from "../../core/index.ts";
import { type Connection, prepareStatement } from "../sqlite/database.ts";

// Of a URL that was answered after all events there is nothing more to know; when it was asked before all of them does not matter.
const rest = (head: string): string =>
  `iif(asked >= ?3, ${head}, ${head} || '\t' || iif(asked >= ?4, asked, '') || '\t' || coalesce(digest, ''))`;
const sql = {
  // Literals are not computed row by row. One text for many rows: to hand over each row by itself costs more than to find it.
  near: `SELECT count(*), group_concat(line, '\n') || '\n' FROM (
    SELECT ${rest("path")} AS line FROM url WHERE site = ?1 AND path >= ?2 AND path <= ?5 ORDER BY path LIMIT ?6)`,
  each: `SELECT group_concat(line, '\n') || '\n' FROM (
    SELECT iif(u.id IS NULL, '-', ${rest("''")}) AS line
    FROM json_each(?2) j LEFT JOIN url u ON u.site = ?1 AND u.path = j.value ORDER BY j.key)`,
} as const;

/** So many URLs of a site are read in the order of their paths for each that is looked for, and some more. */
const [rowsPerEvent, moreRows] = [3, 16];
const [tab, lineFeed, minus, zero] = [9, 10, 45, 48];

/** Compares what peers tell of a site with its URLs, in one pass over both. */
export class ToldComparison {
  readonly #told: ToldEvents;
  readonly #from: number;
  readonly #standings: Uint8Array;
  #rows = "";
  /** Where the reading of the rows is. */
  #at = 0;

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
    const [found, near] = prepareStatement(connection, sql.near).get(site, first, newest, oldest, last, most) as [
      number,
      string | null,
    ];
    this.#rows = near ?? "";
    const left = this.#merge(found === most);
    if (left === count) return this.#standings;
    // The site has many more URLs between them: each is looked up.
    const paths = Array.from({ length: count - left }, (_, at) => this.#pathOf(left + at));
    const [each] = prepareStatement(connection, sql.each).get(site, JSON.stringify(paths), newest, oldest) as [string];
    this.#rows = each;
    this.#at = 0;
    for (let event = left; event < count; event++) {
      if (each.charCodeAt(this.#at) === minus) {
        this.#standings[event] = toldStandings.unknown;
        this.#passLine();
      } else this.#standings[event] = this.#judge(event);
    }
    return this.#standings;
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
      if (this.#at >= this.#rows.length) {
        if (isCut) break;
        this.#standings[event++] = toldStandings.unknown;
        continue;
      }
      const order = this.#comparePath(event);
      if (order < 0) this.#standings[event++] = toldStandings.unknown;
      else if (order > 0) this.#passLine();
      else this.#standings[event] = this.#judge(event++);
    }
    return event;
  }

  /** Compares the path of an event with that of the row, and goes beyond the latter if they are equal. */
  #comparePath(event: number): number {
    const { content, pathStarts, pathEnds } = this.#told;
    const rows = this.#rows;
    const end = pathEnds[this.#from + event] as number;
    let row = this.#at;
    for (let at = pathStarts[this.#from + event] as number; at < end; at++, row++) {
      const difference = (content[at] as number) - rows.charCodeAt(row);
      // TAB and LF are less than all that paths have: a path that ended comes first.
      if (difference !== 0) return difference;
    }
    if (rows.charCodeAt(row) !== tab && rows.charCodeAt(row) !== lineFeed) return -1;
    this.#at = row;
    return 0;
  }

  /** Reads what is known of the URL of an event, from the end of its path to that of its line. */
  #judge(event: number): number {
    const { content, digestStarts, polledAt } = this.#told;
    const rows = this.#rows;
    let at = this.#at + 1;
    if (rows.charCodeAt(at - 1) === lineFeed) {
      this.#at = at;
      return toldStandings.answered;
    }
    const hasAnswer = rows.charCodeAt(at) >= zero;
    let asked = 0;
    for (let code = rows.charCodeAt(at); code >= zero; code = rows.charCodeAt(++at)) asked = asked * 10 + code - zero;
    this.#at = ++at;
    this.#passLine();
    if (hasAnswer && asked >= (polledAt[this.#from + event] as number)) return toldStandings.answered;
    const digest = digestStarts[this.#from + event] as number;
    if (digest === 0 || rows.charCodeAt(at) === lineFeed) return toldStandings.mayBeSame;
    for (let of = digest; content[of] !== tab; of++, at++)
      if (content[of] !== rows.charCodeAt(at)) return toldStandings.differs;
    return toldStandings.mayBeSame;
  }

  #passLine(): void {
    this.#at = this.#rows.indexOf("\n", this.#at) + 1;
  }
}
