import type { EpochSeconds, FoundTarget, TargetSettlement, TrackedUrl } from "../../core/index.ts";
import { type Connection, prepareStatement, type SqlValue, type Statement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import type { LateWrites } from "../sqlite/late-writes.ts";
import type { CallbackMarks } from "./callback-marks.ts";
import { SeenChangeLog } from "./seen-changes.ts";
import type { SiteCounts } from "./site-counts.ts";
import type { SiteShared } from "./site-memory.ts";
import { keepsCounts, rowsOf, type TargetRow, targetColumns, targetOf } from "./target-rows.ts";

/**
 * Which targets are taken: never asked for, as they were found, by rank if they have one, or at random; held and in doubt, or held since before the source changed, of another `lastmod` than when they were asked for or of
 * none, the same but those that merely have none, or all others. What lists name no more, and what could not be had when
 * it was asked for, is among those that moved and those that are hinted at.
 */
export type TargetChoice = "new" | "ranked" | "random" | "doubted" | "unconfirmed" | "moved" | "hinted" | "known";

/** How many targets there are. */
export interface TargetCounts {
  readonly known: number;
  /** Never asked for. */
  readonly fresh: number;
  readonly held: number;
  readonly disallowed: number;
}

/** An entity tag that more bodies have which differ is none of a body. */
const mostBodiesOfTag = 2;

/** SQLite cannot tell how much less an index of some rows has. */
const joinedBy = (index?: string): string =>
  `target t ${index === undefined ? "" : `INDEXED BY ${index} `}LEFT JOIN page p ON p.site = t.site AND p.path = t.path`;
const joined = joinedBy();

const sql = {
  // A target is as deep as the shortest way to it, and its links are less deep by that: they are to be read again. What
  // a list says of it is newer than what a link says. What was gone, or led elsewhere, is looked at before its time if a
  // list gives it another `lastmod`, or names it anew.
  note: `INSERT INTO target (site, path, depth, lastmod, listed)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, ?3 FROM json_each(?2) WHERE true
    ON CONFLICT (site, path) DO UPDATE SET depth = min(depth, excluded.depth),
      lastmod = iif(excluded.listed = 0, lastmod, excluded.lastmod), listed = max(listed, excluded.listed),
      etag = iif(excluded.listed = 0, NULL, etag), modified = iif(excluded.listed = 0, NULL, modified),
      unread = iif(excluded.listed = 0, 1, unread),
      due = iif(excluded.listed <> 0 AND ((trouble IS NULL AND (listed = 0 OR excluded.lastmod IS NOT asked_lastmod))
        OR (trouble = 'unavailable' AND excluded.lastmod IS NOT lastmod)), 0, due),
      asked_lastmod = iif(excluded.listed <> 0 AND listed = 0, NULL, asked_lastmod)
    WHERE excluded.listed <> 0 OR excluded.depth < depth`,
  new: `SELECT ${targetColumns} FROM ${joined} WHERE t.site = ?1 AND t.state = 'new' AND t.id > ?2 ORDER BY t.id LIMIT ?3`,
  ranked: `SELECT ${targetColumns} FROM ${joinedBy("target_ranked")} WHERE t.site = ?1 AND t.state = 'new' AND t.rank > 0
    AND +t.id > ?2 ORDER BY t.rank DESC, t.id LIMIT ?3`,
  // Drawn before anything is joined, for all that are new take part.
  random: `SELECT ${targetColumns} FROM (SELECT id FROM target INDEXED BY target_new
      WHERE site = ?1 AND state = 'new' AND id > ?2 ORDER BY random() LIMIT ?3) r
    CROSS JOIN target t ON t.id = r.id LEFT JOIN page p ON p.site = t.site AND p.path = t.path`,
  moved: `SELECT ${targetColumns} FROM ${joinedBy("target_moved")} WHERE t.site = ?1 AND t.state = 'known'
    AND (t.lastmod IS NULL OR t.lastmod IS NOT t.asked_lastmod OR t.strikes > 0) AND t.id > ?2 AND t.due <= ?4
    AND (t.asked IS NULL OR t.asked < ?5) ORDER BY t.id LIMIT ?3`,
  hinted: `SELECT ${targetColumns} FROM ${joinedBy("target_hinted")} WHERE t.site = ?1 AND t.state = 'known'
    AND (t.lastmod IS NOT t.asked_lastmod OR t.strikes > 0) AND t.id > ?2 AND t.due <= ?4
    AND (t.asked IS NULL OR t.asked < ?5) ORDER BY t.id LIMIT ?3`,
  away: `SELECT ${targetColumns} FROM ${joinedBy("target_away")} WHERE t.site = ?1 AND t.state = 'known'
    AND t.trouble = 'unavailable' AND t.due <= ?2 ORDER BY t.strikes, t.id LIMIT ?3`,
  doubted: `SELECT ${targetColumns} FROM ${joined} WHERE t.site = ?1 AND t.state = 'known' AND t.full IS NULL
    AND t.asked IS NOT NULL AND t.id > ?2 AND t.due <= ?4 AND t.asked < ?5 ORDER BY t.id LIMIT ?3`,
  unconfirmed: `SELECT ${targetColumns} FROM ${joinedBy("target_unconfirmed")} WHERE t.site = ?1 AND t.state = 'known'
    AND t.unconfirmed = 1 AND t.id > ?2 AND t.due <= ?4 AND (t.asked IS NULL OR t.asked < ?5) ORDER BY t.id LIMIT ?3`,
  // What was answered for in this visit already is not asked for again.
  known: `SELECT ${targetColumns} FROM ${joined} WHERE t.site = ?1 AND t.state = 'known' AND t.id > ?2 AND t.due <= ?4
    AND (t.asked IS NULL OR t.asked < ?5) ORDER BY t.id LIMIT ?3`,
  // A multiplicative hash of the id and a number that is another each time: as good as drawn at random.
  sample: `SELECT ${targetColumns} FROM ${joined} WHERE t.site = ?1 AND t.state = 'known' AND t.lastmod IS t.asked_lastmod
    AND t.lastmod IS NOT NULL AND t.strikes = 0 AND t.asked < ?3
    AND p.path IS NOT NULL ORDER BY ((t.id + ?3) * 2654435761) % 4294967296 LIMIT ?2`,
  listed: `SELECT count(*) FILTER (WHERE t.lastmod IS NOT t.asked_lastmod), count(*) FILTER (WHERE t.lastmod IS t.asked_lastmod)
    FROM ${joined} WHERE t.site = ?1 AND t.state = 'known' AND t.lastmod IS NOT NULL AND p.path IS NOT NULL`,
  countMoved: `SELECT count(*) FROM target WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))
    AND lastmod IS NOT asked_lastmod`,
  // What was asked for already has its place.
  // They are all noted: an insertion only finds them by their key, which an update would not.
  raise: `INSERT INTO target (site, path, depth, rank) SELECT ?1, value ->> 0, 0, value ->> 1 FROM json_each(?2) WHERE true
    ON CONFLICT (site, path) DO UPDATE SET rank = rank + excluded.rank WHERE state = 'new'`,
  one: `SELECT ${targetColumns} FROM ${joined} WHERE t.site = ?1 AND t.path = ?2`,
  keep: `INSERT INTO page (site, path, size, digest, modified, media_type, etag, http_modified, fetched, seen)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, 0
    FROM json_each(?2) WHERE true
    ON CONFLICT DO UPDATE SET size = excluded.size, digest = excluded.digest, modified = excluded.modified,
      media_type = excluded.media_type, etag = excluded.etag, http_modified = excluded.http_modified, fetched = excluded.fetched`,
  // LIMIT: else SQLite goes through all of the site's pages, and for each of them through the whole batch.
  confirm: `UPDATE page SET etag = j.value ->> 1, http_modified = j.value ->> 2, fetched = iif(j.value ->> 3, j.value ->> 4, fetched)
    FROM (SELECT value FROM json_each(?2) LIMIT -1) j WHERE page.site = ?1 AND page.path = j.value ->> 0`,
  // By id, and `+`: else SQLite goes through all targets of the site and for each of them through the whole batch.
  // A page that has become nearer since it was asked for is to be read again: see `note`.
  answered: `UPDATE target SET etag = iif(depth < j.value ->> 10, NULL, j.value ->> 1),
      modified = iif(depth < j.value ->> 10, NULL, j.value ->> 2), history = j.value ->> 3,
      asked = j.value ->> 4, full = iif(j.value ->> 5, j.value ->> 4, full), due = j.value ->> 6,
      asked_lastmod = j.value ->> 7, is_passage = j.value ->> 8, interval = coalesce(j.value ->> 9, interval),
      unread = depth < j.value ->> 10, unconfirmed = 0, state = 'known', trouble = NULL, strikes = 0
    FROM json_each(?2) j WHERE target.id = j.value ->> 0 AND +target.site = ?1`,
  postponed: `UPDATE target SET etag = NULL, modified = NULL, due = j.value ->> 1, state = j.value ->> 2,
      trouble = j.value ->> 3, strikes = j.value ->> 4
    FROM json_each(?2) j WHERE target.id = j.value ->> 0 AND +target.site = ?1`,
  // After trouble a body is to come whole.
  forgetPostponed: `UPDATE page SET etag = NULL, http_modified = NULL FROM (SELECT t.path FROM json_each(?2) j
    JOIN target t ON t.id = j.value ->> 0) f WHERE page.site = ?1 AND page.path = f.path`,
  removePages: "DELETE FROM page WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))",
  reopen: "UPDATE target SET state = iif(asked IS NULL, 'new', 'known') WHERE site = ?1 AND state = 'disallowed'",
  reopenRefused: "UPDATE target SET due = 0 WHERE site = ?1 AND trouble = 'refused'",
  // What an earlier source brought and nobody asked for yet.
  adoptHeld: `INSERT INTO target (site, path, depth, state, full, unconfirmed, unread)
    SELECT site, path, 0, 'known', fetched, 1, 1 FROM page WHERE site = ?1
    ON CONFLICT (site, path) DO NOTHING`,
  // What is held may be of another time than what is remembered of it.
  unconfirm: `UPDATE target SET unconfirmed = 1, due = 0, trouble = iif(state = 'disallowed', trouble, NULL), strikes = 0,
      state = iif(state = 'new', 'known', state), full = p.fetched
    FROM page p WHERE p.site = target.site AND p.path = target.path AND target.site = ?1`,
  // One that bodies share which differ says nothing of a body.
  forgetSharedTags: `UPDATE page SET etag = NULL WHERE site = ?1 AND etag IN (SELECT etag FROM page WHERE site = ?1
    AND etag IS NOT NULL GROUP BY etag HAVING count(DISTINCT digest) > ?2)`,
  // What is held has lost its `lastmod`, also if it had none: so it is told from what never was in a list.
  unlist: `UPDATE target SET listed = 0, (due, lastmod, asked_lastmod) = (SELECT iif(count(*), 0, target.due),
      iif(count(*), NULL, target.lastmod), iif(count(*), coalesce(target.asked_lastmod, ''), target.asked_lastmod) FROM page p WHERE p.site = target.site AND p.path = target.path)
    WHERE site = ?1 AND listed <> 0 AND listed NOT IN (SELECT value FROM json_each(?2)) AND state = 'known'`,
  // Of what is not held the body has to come again.
  rereadLinkOnly: "UPDATE target SET etag = NULL, modified = NULL WHERE site = ?1 AND is_passage = 1",
  rereadTypes: `UPDATE target SET unread = 1 FROM page p WHERE p.site = target.site AND p.path = target.path
    AND target.site = ?1 AND p.media_type IN (SELECT value FROM json_each(?2))`,
  forgetTags: "UPDATE target SET etag = NULL WHERE site = ?1 AND etag IN (SELECT value FROM json_each(?2))",
  forgetHeldTags: "UPDATE page SET etag = NULL WHERE site = ?1 AND etag IN (SELECT value FROM json_each(?2))",
  generation: "UPDATE site SET generation = generation + 1 WHERE id = ? RETURNING generation",
} as const;

/** The URLs of one site that does not publish its changes. Costs of all calls are those of the rows they touch. */
export class TargetList {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  readonly #seen: SeenChangeLog;
  readonly #late: LateWrites;
  readonly #counts: SiteCounts;
  readonly #marks: CallbackMarks | undefined;
  /** What was taken last, by its path, until something of targets is written. */
  readonly #taken = new Map<string, TrackedUrl>();
  #hasAdopted = false;

  /** @param marks - of pages that are handed to somebody else, if they are */
  constructor(
    connection: Connection,
    { file, site }: { readonly file: string; readonly site: number },
    { late, counts }: SiteShared,
    marks: CallbackMarks | undefined,
  ) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    this.#late = late;
    this.#counts = counts;
    this.#marks = marks;
    this.#seen = new SeenChangeLog(connection, site);
  }

  /** Begins a list of URLs: what is noted with its mark was named by it. */
  beginList(): number {
    return inDatabase(this.#file, () => {
      const [generation] = this.#statement(sql.generation).get(this.#site) as [number];
      if (!this.#hasAdopted) this.#write(sql.adoptHeld);
      this.#hasAdopted = true;
      return generation;
    });
  }

  /**
   * Notes URLs; those that are known keep their history.
   *
   * @param list - mark of the list that names them; 0 for links
   */
  note(found: readonly FoundTarget[], list: number): void {
    if (found.length === 0) return;
    inDatabase(this.#file, () => this.#note(found, list));
  }

  /**
   * Notes what is no longer named by any of these complete lists. What of it is held becomes due: whether it is gone the
   * server says.
   */
  endLists(lists: readonly number[]): void {
    inDatabase(this.#file, () => this.#write(sql.unlist, JSON.stringify(lists)));
  }

  /**
   * Takes targets in the order in which they were found, or by rank or at random if so chosen.
   *
   * @param since - when the visit began; what was answered for since is not taken as `known`
   * @param after - id of the last one that was taken before
   */
  take(choice: TargetChoice, since: EpochSeconds, after: number, limit: number): TrackedUrl[] {
    const counted = this.#counts.known;
    const isNew = choice === "new" || choice === "ranked" || choice === "random";
    if (counted !== undefined && isNew && counted.fresh === 0) return [];
    if (counted !== undefined && choice === "doubted" && counted.doubted === 0) return [];
    if (counted !== undefined && choice === "unconfirmed" && counted.unconfirmed === 0) return [];
    return inDatabase(this.#file, () => {
      const place: SqlValue[] = [this.#site, after, limit];
      if (!isNew) place.push(since, since);
      return this.#keepTaken((this.#statement(sql[choice]).all(...place) as TargetRow[]).map(targetOf));
    });
  }

  // A page that is chosen of those that were looked at is looked up just afterwards.
  #keepTaken(targets: TrackedUrl[]): TrackedUrl[] {
    this.#taken.clear();
    for (const target of targets) this.#taken.set(target.path, target);
    return targets;
  }

  /**
   * Takes targets that could not be had when they were asked for last, those first of which that is less often so.
   *
   * @param since - when the visit began
   */
  takeAway(since: EpochSeconds, limit: number): TrackedUrl[] {
    return inDatabase(this.#file, () =>
      this.#keepTaken((this.#statement(sql.away).all(this.#site, since, limit) as TargetRow[]).map(targetOf)),
    );
  }

  /**
   * Takes held targets of which the list says that they did not change, other ones in each visit.
   *
   * @param since - when the visit began; what was answered for since is not taken
   */
  sample(limit: number, since: EpochSeconds): TrackedUrl[] {
    return inDatabase(this.#file, () =>
      this.#keepTaken((this.#statement(sql.sample).all(this.#site, limit, since) as TargetRow[]).map(targetOf)),
    );
  }

  /** Of how many held targets the list says that they changed since they were asked for, and of how many that they did not. */
  countListed(): { readonly moved: number; readonly unmoved: number } {
    return inDatabase(this.#file, () => {
      const [moved, unmoved] = this.#statement(sql.listed).get(this.#site) as [number, number];
      return { moved, unmoved };
    });
  }

  /** Of how many of these paths the list says that they changed since they were asked for. */
  countMoved(paths: readonly string[]): number {
    return inDatabase(this.#file, () => {
      const [count] = this.#statement(sql.countMoved).get(this.#site, JSON.stringify(paths)) as [number];
      return count;
    });
  }

  /** The target of a path, if it is known. */
  find(path: string): TrackedUrl | undefined {
    const taken = this.#taken.get(path);
    if (taken !== undefined) return taken;
    return inDatabase(this.#file, () => {
      const row = this.#statement(sql.one).get(this.#site, path) as TargetRow | undefined;
      return row === undefined ? undefined : targetOf(row);
    });
  }

  /** Makes results durable together with the links that were found on the way, all at once. */
  settle(settlements: readonly TargetSettlement[], found: readonly FoundTarget[], at: EpochSeconds): void {
    const rows = rowsOf(settlements);
    this.#taken.clear();
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#seen.note(rows.bodies, rows.removed, at);
        this.#runEach(sql.keep, rows.kept);
        this.#runEach(sql.confirm, rows.confirmed);
        this.#runEach(sql.answered, rows.answered);
        this.#runEach(sql.postponed, rows.postponed);
        this.#runEach(sql.forgetPostponed, rows.postponed);
        this.#note(found, 0);
        this.#runEach(
          sql.removePages,
          rows.removed.map(({ path }) => path),
        );
        this.#marks?.forgetWithin(settlements.map(({ target }) => target.path));
      }),
    );
    if (!keepsCounts(settlements)) this.#counts.forget();
  }

  /** Makes everything that is held due to be asked for, with its validators: another source wrote it. */
  unconfirmHeld(): void {
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#write(sql.adoptHeld);
        this.#write(sql.unconfirm);
        this.#write(sql.forgetSharedTags, mostBodiesOfTag);
      }),
    );
  }

  /** Makes the links of pages due to be read: of held bodies of these media types, and of pages of which none is held. */
  rereadLinks(mediaTypes: readonly string[]): void {
    inDatabase(this.#file, () =>
      this.#late.transact(() => {
        this.#write(sql.rereadLinkOnly);
        this.#write(sql.rereadTypes, JSON.stringify(mediaTypes));
      }),
    );
  }

  /** Forgets entity tags that say nothing of a page. */
  forgetTags(etags: readonly string[]): void {
    inDatabase(this.#file, () => {
      this.#write(sql.forgetTags, JSON.stringify(etags));
      this.#write(sql.forgetHeldTags, JSON.stringify(etags));
    });
  }

  /** Makes targets that robots.txt disallowed due again. */
  reopenDisallowed(): void {
    inDatabase(this.#file, () => this.#write(sql.reopen));
  }

  /** Makes targets that were refused due again. */
  reopenRefused(): void {
    inDatabase(this.#file, () => this.#write(sql.reopenRefused));
  }

  counts(): TargetCounts {
    const { targets, fresh, held, disallowedTargets } = inDatabase(this.#file, () => this.#counts.read());
    return { known: targets, fresh, held, disallowed: disallowedTargets };
  }

  #note(found: readonly FoundTarget[], list: number): void {
    if (found.length === 0) return;
    const rows = found.map(({ path, depth, lastmod }) => [path, depth, lastmod ?? null]);
    this.#write(sql.note, JSON.stringify(rows), list);
    const shares = found.flatMap(({ path, share }) => (share === undefined ? [] : [[path, share]]));
    if (shares.length > 0) this.#write(sql.raise, JSON.stringify(shares));
  }

  /** Runs a statement that writes targets, and forgets what was known of them if it did. */
  #write(text: string, ...parameters: readonly SqlValue[]): void {
    if (this.#statement(text).run(this.#site, ...parameters).changes === 0) return;
    this.#taken.clear();
    this.#counts.forget();
  }

  // One statement a batch instead of one a page: the call costs more than the row.
  #runEach(text: string, rows: readonly unknown[]): void {
    if (rows.length > 0) this.#statement(text).run(this.#site, JSON.stringify(rows));
  }

  #statement(text: string): Statement {
    return prepareStatement(this.#connection, text);
  }
}
