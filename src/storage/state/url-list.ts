import type {
  CandidateChoice,
  EpochSeconds,
  FoundUrl,
  PollCandidate,
  Settlement,
  TrackedUrl,
  UrlChoice,
  UrlCounts,
  UrlList,
} from "../../core/index.ts";
import { type Connection, prepareStatement, type SqlValue, type Statement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import type { LateWrites } from "../sqlite/late-writes.ts";
import { overRows, type RowsSql, runOverRows, type SqlRow } from "../sqlite/over-rows.ts";
import { readQueries } from "./known-queries.ts";
import { SeenChangeLog } from "./seen-changes.ts";
import type { SiteCounts } from "./site-counts.ts";
import type { SiteShared } from "./site-memory.ts";
import { candidates, choices, select, selectBy } from "./url-choices.ts";
import {
  type CandidateRow,
  candidateOf,
  grownBy,
  type PathRow,
  rowsOf,
  type UrlRow,
  urlOf,
  usageOf,
} from "./url-rows.ts";

/** An entity tag that more than so many different bodies have does not identify a body. */
const maxBodiesPerTag = 2;

/** Paths that are looked at at a time. */
const pathsAtATime = 10_000;

const sql = {
  away: {
    announced: `${selectBy("url_away")} WHERE u.site = ?1 AND u.trouble = 'unavailable' AND u.work = 'due' AND ?2 >= 0
      ORDER BY u.strikes, u.id LIMIT ?3`,
    polled: `${selectBy("url_away")} WHERE u.site = ?1 AND u.trouble = 'unavailable' AND u.state = 'known' AND u.due <= ?2
      ORDER BY u.strikes, u.id LIMIT ?3`,
  },
  // The shortest way to a URL counts; if it becomes shorter, the links of its page are to be read again, for they become
  // nearer, too. A list is newer than a link. What was gone, redirected or refused is requested before its time if a list
  // gives it another `lastmod`; what is gone also if a list names it anew.
  note: `INSERT INTO url (site, path, depth, lastmod, listed, state)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?3, 'new' FROM json_each(?2) WHERE true
    ON CONFLICT (site, path) DO UPDATE SET depth = iif(state IS NULL, excluded.depth, min(depth, excluded.depth)),
      state = coalesce(state, iif(digest IS NULL, 'new', 'known')),
      lastmod = iif(excluded.listed = 0, lastmod, excluded.lastmod), listed = max(listed, excluded.listed),
      etag = iif(excluded.listed = 0 AND digest IS NULL, NULL, etag),
      http_modified = iif(excluded.listed = 0 AND digest IS NULL, NULL, http_modified),
      unread = iif(excluded.listed = 0, 1, unread),
      due = iif(excluded.listed <> 0 AND ((trouble IS NULL AND (listed = 0 OR excluded.lastmod IS NOT asked_lastmod))
        OR (trouble IN ('unavailable', 'refused', 'gone', 'moved') AND excluded.lastmod IS NOT lastmod)), 0, due),
      asked_lastmod = iif(excluded.listed <> 0 AND listed = 0, NULL, asked_lastmod)
    WHERE excluded.listed <> 0 OR excluded.depth < depth OR state IS NULL`,
  // All of them are known by now: an insertion finds them by their key, which an update would not.
  raise: `INSERT INTO url (site, path, depth, rank) SELECT ?1, value ->> 0, 0, value ->> 1 FROM json_each(?2) WHERE true
    ON CONFLICT (site, path) DO UPDATE SET rank = rank + excluded.rank WHERE state = 'new'`,
  // A multiplicative hash of the id and a number that differs each time: as good as random.
  sample: `${select} WHERE u.site = ?1 AND u.state = 'known' AND u.lastmod IS u.asked_lastmod AND u.lastmod IS NOT NULL
    AND u.strikes = 0 AND u.asked < ?3 AND u.digest IS NOT NULL
    ORDER BY ((u.id + ?3) * 2654435761) % 4294967296 LIMIT ?2`,
  listed: `SELECT count(*) FILTER (WHERE lastmod IS NOT asked_lastmod), count(*) FILTER (WHERE lastmod IS asked_lastmod)
    FROM url WHERE site = ?1 AND state = 'known' AND lastmod IS NOT NULL AND digest IS NOT NULL`,
  countMoved: `SELECT count(*) FROM url WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))
    AND lastmod IS NOT asked_lastmod`,
  one: `${select} WHERE u.site = ?1 AND u.path = ?2`,
  // CROSS: else SQLite goes through all URLs of the site, and for each of them through all paths.
  each: `${select.replace("url u", "json_each(?2) j CROSS JOIN url u")} WHERE u.site = ?1 AND u.path = j.value`,
  // By id, and `+`: otherwise SQLite goes through all URLs of the site, and for each through the whole batch.
  empty: `UPDATE url SET size = NULL, digest = NULL, modified = NULL, media_type = NULL, usage = NULL, served_usage = NULL
    FROM json_each(?2) j WHERE url.id = j.value AND +url.site = ?1`,
  // The usual end of what was announced, with as few values as possible.
  done: `UPDATE url SET size = j.value ->> 1, digest = j.value ->> 2, modified = said_modified, media_type = said_type,
      etag = j.value ->> 3, http_modified = j.value ->> 4, fetched = j.value ->> 5, asked = coalesce(j.value ->> 6, asked),
      asked_lastmod = iif(j.value ->> 6 IS NULL, asked_lastmod, lastmod), due = 0, unconfirmed = 0,
      state = iif(state IS NULL, NULL, 'known'), work = NULL, trouble = NULL, strikes = 0, said_size = NULL,
      said_digest = NULL, said_modified = NULL, said_type = NULL
    FROM json_each(?2) j WHERE url.id = j.value ->> 0 AND +url.site = ?1`,
  // A page that became nearer since it was requested is to be read again: see `note`. The validators of a held body stay
  // if the response was of an unwanted type.
  answered: `UPDATE url SET size = coalesce(j.value ->> 1, size), digest = coalesce(j.value ->> 2, digest),
      modified = coalesce(j.value ->> 3, modified), media_type = coalesce(j.value ->> 4, media_type),
      etag = iif(j.value ->> 13, iif(digest IS NOT NULL, etag, iif(depth < j.value ->> 14, NULL, j.value ->> 5)), j.value ->> 5),
      http_modified = iif(j.value ->> 13,
        iif(digest IS NOT NULL, http_modified, iif(depth < j.value ->> 14, NULL, j.value ->> 6)), j.value ->> 6),
      fetched = j.value ->> 7, history = coalesce(j.value ->> 8, history), interval = coalesce(j.value ->> 9, interval),
      asked_lastmod = iif(j.value ->> 10 IS NULL, asked_lastmod, j.value ->> 12), asked = coalesce(j.value ->> 10, asked),
      due = j.value ->> 11, is_link_only = j.value ->> 13, unread = depth < j.value ->> 14, unconfirmed = 0,
      state = iif(state IS NULL, NULL, 'known'), work = iif(j.value ->> 15 = '', work, j.value ->> 15),
      said_size = iif(j.value ->> 16, said_size, NULL), said_digest = iif(j.value ->> 16, said_digest, NULL),
      said_modified = iif(j.value ->> 16, said_modified, NULL), said_type = iif(j.value ->> 16, said_type, NULL),
      trouble = j.value ->> 17, strikes = j.value ->> 18
    FROM json_each(?2) j WHERE url.id = j.value ->> 0 AND +url.site = ?1`,
  usage: `UPDATE url SET usage = j.value ->> 1, served_usage = j.value ->> 2
    FROM json_each(?2) j WHERE url.id = j.value ->> 0 AND +url.site = ?1`,
  // After trouble a body has to come whole.
  postponed: `UPDATE url SET etag = NULL, http_modified = NULL, due = j.value ->> 1,
      state = iif(state IS NULL, NULL, j.value ->> 2), trouble = j.value ->> 3, strikes = j.value ->> 4,
      work = iif(j.value ->> 5 = '', work, j.value ->> 5)
    FROM json_each(?2) j WHERE url.id = j.value ->> 0 AND +url.site = ?1`,
  // What no list or link named is forgotten with its body.
  forget: `DELETE FROM url WHERE id IN (SELECT value FROM json_each(?2)) AND +site = ?1
    AND state IS NULL AND work IS NULL AND digest IS NULL`,
  reopen: {
    disallowed: `UPDATE url SET state = iif(state = 'disallowed', iif(asked IS NULL, 'new', 'known'), state),
      work = iif(work = 'disallowed', 'due', work) WHERE site = ?1 AND (state = 'disallowed' OR work = 'disallowed')`,
    refused: "UPDATE url SET due = 0, work = iif(work = 'parked', 'due', work) WHERE site = ?1 AND trouble = 'refused'",
    usage: "UPDATE url SET due = 0, work = iif(work = 'parked', 'due', work) WHERE site = ?1 AND trouble = 'usage'",
  },
  // What an earlier source brought is polled from now on.
  pollHeld: `UPDATE url SET state = 'known', unconfirmed = 1, unread = 1
    WHERE site = ?1 AND state IS NULL AND digest IS NOT NULL`,
  unconfirm: `UPDATE url SET unconfirmed = 1, due = 0, trouble = iif(state = 'disallowed', trouble, NULL), strikes = 0,
      state = iif(state = 'new', 'known', state) WHERE site = ?1 AND digest IS NOT NULL`,
  forgetSharedTags: `UPDATE url SET etag = NULL WHERE site = ?1 AND etag IN (SELECT etag FROM url WHERE site = ?1
    AND etag IS NOT NULL AND digest IS NOT NULL GROUP BY etag HAVING count(DISTINCT digest) > ?2)`,
  // A held page loses its `lastmod` even if it had none, so that it differs from one that never was in a list.
  unlist: `UPDATE url SET listed = 0, due = iif(digest IS NULL, due, 0), lastmod = iif(digest IS NULL, lastmod, NULL),
      asked_lastmod = iif(digest IS NULL, asked_lastmod, coalesce(asked_lastmod, ''))
    WHERE site = ?1 AND listed <> 0 AND listed NOT IN (SELECT value FROM json_each(?2)) AND state = 'known'`,
  // The body of a page that is not held has to come again, whatever a list's `lastmod` says.
  rereadLinkOnly: `UPDATE url SET etag = NULL, http_modified = NULL, asked_lastmod = ''
    WHERE site = ?1 AND is_link_only = 1 AND digest IS NULL`,
  rereadTypes: `UPDATE url SET unread = 1 WHERE site = ?1 AND state IS NOT NULL
    AND media_type IN (SELECT value FROM json_each(?2))`,
  setBack: `UPDATE url SET asked = ?2 - 1, fetched = min(fetched, ?2 - 1), due = min(due, ?2)
    WHERE site = ?1 AND asked > ?2`,
  forgetTags: "UPDATE url SET etag = NULL WHERE site = ?1 AND etag IN (SELECT value FROM json_each(?2))",
  paths: "SELECT path, digest IS NOT NULL, served_usage FROM url WHERE site = ?1 AND path > ?2 ORDER BY path LIMIT ?3",
  // A page that is still to be fetched may lie in the mirror already: see the intake.
  withdraw: `UPDATE url SET work = 'delete', state = NULL, trouble = NULL, strikes = 0, said_size = NULL,
      said_digest = NULL, said_modified = NULL, said_type = NULL
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2)) AND (digest IS NOT NULL OR work IS NOT NULL)`,
  dropPaths: `DELETE FROM url WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))
    AND digest IS NULL AND work IS NULL`,
  generation: "UPDATE site SET generation = generation + 1 WHERE id = ? RETURNING generation",
} as const;

/** What settles pages: most often one, where the next request waits for it. */
const settling = {
  done: overRows(sql.done),
  answered: overRows(sql.answered),
  usage: overRows(sql.usage),
  postponed: overRows(sql.postponed),
} as const;

/** What is remembered of bodies in the transaction that remembers their pages. */
export interface SettledMarks {
  settleWithin(settlements: readonly Settlement[]): void;
}

/** The known URLs of one site. Each call costs what the rows it touches cost. */
export class StoredUrls {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  readonly #seen: SeenChangeLog;
  readonly #late: LateWrites;
  readonly #counts: SiteCounts;
  readonly #marks: SettledMarks | undefined;
  #isHeldPolled = false;

  /** @param marks - what is remembered of bodies together with their pages, if it is */
  constructor(
    connection: Connection,
    { file, site }: { readonly file: string; readonly site: number },
    { late, counts }: SiteShared,
    marks: SettledMarks | undefined,
  ) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    this.#late = late;
    this.#counts = counts;
    this.#marks = marks;
    this.#seen = inDatabase(file, () => new SeenChangeLog(connection, site));
  }

  beginList(): number {
    return inDatabase(this.#file, () => {
      const [generation] = this.#statement(sql.generation).get(this.#site) as [number];
      if (!this.#isHeldPolled && this.#counts.known?.unnamed !== 0) this.#write(sql.pollHeld);
      this.#isHeldPolled = true;
      return generation;
    });
  }

  note(found: readonly FoundUrl[], list: number): void {
    if (found.length > 0) inDatabase(this.#file, () => this.#note(found, list));
  }

  endLists(lists: readonly number[]): void {
    inDatabase(this.#file, () => this.#write(sql.unlist, JSON.stringify(lists)));
  }

  take(
    choice: UrlChoice,
    since: EpochSeconds,
    after: Pick<TrackedUrl, "id" | "path"> | undefined,
    limit: number,
  ): TrackedUrl[] {
    const isAnnounced = choice === "announced" || choice === "withdrawn";
    const isNew = choice === "new" || choice === "ranked" || choice === "random";
    const counted = this.#counts.known;
    if (counted !== undefined && isNew && counted.fresh === 0) return [];
    if (counted !== undefined && choice === "doubted" && counted.doubted === 0) return [];
    if (counted !== undefined && choice === "unconfirmed" && counted.unconfirmed === 0) return [];
    const place = isAnnounced ? (after?.path ?? "") : (after?.id ?? 0);
    return this.#takeRows(choices[choice], isAnnounced, [place, limit, ...(isAnnounced || isNew ? [] : [since])]);
  }

  takeCandidates(
    choice: CandidateChoice,
    since: EpochSeconds,
    after: Pick<TrackedUrl, "id"> | undefined,
    limit: number,
  ): PollCandidate[] {
    const [rows] = inDatabase(this.#file, () =>
      this.#statement(candidates[choice]).get(this.#site, after?.id ?? 0, limit, since),
    ) as [string];
    return (JSON.parse(rows) as CandidateRow[]).map(candidateOf);
  }

  takeAway(of: "announced" | "polled", since: EpochSeconds, limit: number): TrackedUrl[] {
    return this.#takeRows(sql.away[of], of === "announced", [since, limit]);
  }

  sample(limit: number, since: EpochSeconds): TrackedUrl[] {
    return this.#takeRows(sql.sample, false, [limit, since]);
  }

  #takeRows(text: string, isAnnounced: boolean, parameters: readonly SqlValue[]): TrackedUrl[] {
    const rows = inDatabase(this.#file, () => this.#statement(text).all(this.#site, ...parameters)) as UrlRow[];
    return rows.map((row) => urlOf(row, isAnnounced));
  }

  countListed(): { readonly moved: number; readonly unmoved: number } {
    return inDatabase(this.#file, () => {
      const [moved, unmoved] = this.#statement(sql.listed).get(this.#site) as [number, number];
      return { moved, unmoved };
    });
  }

  countMoved(paths: readonly string[]): number {
    return inDatabase(this.#file, () => {
      const [count] = this.#statement(sql.countMoved).get(this.#site, JSON.stringify(paths)) as [number];
      return count;
    });
  }

  find(path: string): TrackedUrl | undefined {
    const row = inDatabase(this.#file, () => this.#statement(sql.one).get(this.#site, path)) as UrlRow | undefined;
    return row === undefined ? undefined : urlOf(row, false);
  }

  findAll(paths: readonly string[]): TrackedUrl[] {
    return this.#takeRows(sql.each, false, [JSON.stringify(paths)]);
  }

  findQueries(path: string, limit: number): string[] {
    return inDatabase(this.#file, () => readQueries(this.#connection, this.#site, path, limit));
  }

  settle(settlements: readonly Settlement[], found: readonly FoundUrl[], at: EpochSeconds): void {
    const rows = rowsOf(settlements);
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#seen.note(rows, at);
        this.#runEach(sql.empty, rows.emptied);
        this.#settle(settling.done, rows.done);
        this.#settle(settling.answered, rows.answered);
        this.#settle(settling.usage, rows.usages);
        this.#settle(settling.postponed, rows.postponed);
        this.#runEach(sql.forget, rows.emptied);
        this.#note(found, 0);
        this.#marks?.settleWithin(settlements);
      }),
    );
    const bytes = grownBy(settlements);
    if (bytes === undefined) this.#counts.forget();
    else this.#counts.grow(bytes);
  }

  unconfirmHeld(): void {
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#write(sql.pollHeld);
        this.#write(sql.unconfirm);
        this.#write(sql.forgetSharedTags, maxBodiesPerTag);
      }),
    );
  }

  rereadLinks(mediaTypes: readonly string[]): void {
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#write(sql.rereadLinkOnly);
        this.#write(sql.rereadTypes, JSON.stringify(mediaTypes));
      }),
    );
  }

  forgetTags(etags: readonly string[]): void {
    inDatabase(this.#file, () => this.#write(sql.forgetTags, JSON.stringify(etags)));
  }

  setBack(now: EpochSeconds): void {
    inDatabase(this.#file, () => this.#write(sql.setBack, now));
  }

  reopen(trouble: "disallowed" | "refused" | "usage"): void {
    inDatabase(this.#file, () => this.#write(sql.reopen[trouble]));
  }

  narrow(isWanted: Parameters<UrlList["narrow"]>[0]): number {
    return inDatabase(this.#file, () =>
      this.#late.transact(() => {
        let held = 0;
        for (let after = ""; ; ) {
          const rows = this.#statement(sql.paths).all(this.#site, after, pathsAtATime) as PathRow[];
          const others = rows.filter(([path, , served]) => !isWanted(path, usageOf(served)));
          const paths = JSON.stringify(others.map(([path]) => path));
          held += others.filter(([, isHeld]) => isHeld === 1).length;
          if (others.length > 0) {
            this.#write(sql.withdraw, paths);
            this.#write(sql.dropPaths, paths);
          }
          const last = rows.at(-1);
          if (last === undefined || rows.length < pathsAtATime) return held;
          [after] = last;
        }
      }),
    );
  }

  counts(): UrlCounts {
    return inDatabase(this.#file, () => this.#counts.read());
  }

  #note(found: readonly FoundUrl[], list: number): void {
    if (found.length === 0) return;
    const rows = found.map(({ path, depth, lastmod }) => [path, depth, lastmod]);
    this.#write(sql.note, JSON.stringify(rows), list);
    const shares = found.flatMap(({ path, share }) => (share === undefined ? [] : [[path, share]]));
    if (shares.length > 0) this.#write(sql.raise, JSON.stringify(shares));
  }

  /** Runs a statement that writes URLs, and forgets what was known of them if it did. */
  #write(text: string, ...parameters: readonly SqlValue[]): void {
    if (this.#statement(text).run(this.#site, ...parameters).changes > 0) this.#counts.forget();
  }

  // One statement per batch instead of one per page: the call costs more than the row.
  #runEach(text: string, rows: readonly unknown[]): void {
    if (rows.length > 0) this.#statement(text).run(this.#site, JSON.stringify(rows));
  }

  #settle(statement: RowsSql, rows: readonly SqlRow[]): void {
    runOverRows(this.#connection, statement, this.#site, rows);
  }

  #statement(text: string): Statement {
    return prepareStatement(this.#connection, text);
  }
}
