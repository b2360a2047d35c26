import type { Sql } from "postgres";
import { boundHanded, boundInteger, boundPriority, boundText, boundWait, handedBound } from "./bounds.ts";
import { batches, batchSize, inMs, keyOf } from "./postgres-sql.ts";
import type { HandedUrl, SiteLease, SiteResults } from "./site-leases.ts";

/** Stores what a visit came to, by statements that are sent at once. */
export function storeResults(
  sql: Sql,
  { site, epoch }: SiteLease,
  worker: string,
  { state, pages, gone, events, found, taken, visit, next }: SiteResults,
): PromiseLike<unknown>[] {
  const known = pages.map((page) => ({ ...page, path: boundText(page.path) }));
  const left = gone.map((path) => boundText(path));
  const statements: PromiseLike<unknown>[] = [];
  if (state !== undefined) {
    statements.push(
      sql`UPDATE site SET state_version = ${state.version}, state_blocks = ${state.blocks}, state_epoch = ${epoch}
        WHERE id = ${site}`,
      sql`DELETE FROM site_state WHERE site = ${site} AND number >= ${state.blocks}`,
      ...state.changed.map(
        ({ number, bytes }) => sql`INSERT INTO site_state (site, number, bytes) VALUES (${site}, ${number}, ${bytes})
          ON CONFLICT (site, number) DO UPDATE SET bytes = excluded.bytes`,
      ),
    );
  }
  for (const rows of batches(left))
    statements.push(sql`DELETE FROM page USING unnest(${rows}::text[]) AS gone (path)
      WHERE site = ${site} AND key = ${keyOf(sql, "gone.path")}`);
  for (const rows of batches([...new Map(known.map((page) => [page.path, page])).values()]))
    statements.push(sql`INSERT INTO page (site, key, path, size, digest, modified, media_type, fetched)
      SELECT ${site}, ${keyOf(sql, "p.path")}, p.* FROM unnest(${rows.map(({ path }) => path)}::text[],
        ${rows.map(({ size }) => boundInteger(size))}::bigint[], ${rows.map(({ digest }) => boundText(digest))}::text[],
        ${rows.map(({ modified }) => boundInteger(modified))}::bigint[],
        ${rows.map(({ mediaType }) => boundText(mediaType))}::text[],
        ${rows.map(({ fetched }) => boundInteger(fetched))}::bigint[]) AS p (path, size, digest, modified, media_type, fetched)
      ON CONFLICT (site, key) DO UPDATE SET size = excluded.size, digest = excluded.digest,
        modified = excluded.modified, media_type = excluded.media_type, fetched = excluded.fetched`);
  for (const rows of batches(events))
    statements.push(sql`INSERT INTO web_event (site, path, kind, at)
      SELECT ${site}, e.* FROM unnest(${rows.map(({ path }) => boundText(path))}::text[], ${rows.map(({ kind }) => kind)}::text[],
        ${rows.map(({ at }) => boundInteger(at))}::bigint[]) AS e`);
  statements.push(sql`DELETE FROM handed_url WHERE site = ${site} AND id = ANY(${[...taken]}::bigint[])`);
  if (visit !== undefined)
    statements.push(sql`INSERT INTO visit (site, epoch, worker, summary)
      VALUES (${site}, ${epoch}, ${worker}, ${visit}::text::json)`);
  for (const rows of batches(boundHanded(found))) statements.push(...handUrls(sql, rows));
  if (next !== undefined)
    statements.push(
      // Whose rows these are has committed its URLs: the next statement sees them.
      sql`DELETE FROM handed_site
        WHERE id = ANY(ARRAY(SELECT id FROM handed_site WHERE site = ${site} FOR UPDATE SKIP LOCKED))`,
      sql`UPDATE site SET next_at = ${inMs(sql, boundWait(next.addressMs))}
      WHERE id = ${site} AND next_at = 'infinity' AND (SELECT true FROM handed_url WHERE site = ${site} ORDER BY priority DESC, id LIMIT 1)`,
    );
  return statements;
}

/**
 * Adds URLs of other sites, unless their pages are stored, and the sites that are not known yet. What is looked up stands in
 * subqueries, which the planner keeps as index lookups: of joins, and of `EXISTS` without an order, it makes reads of whole tables.
 */
export function handUrls(sql: Sql, urls: readonly HandedUrl[]): PromiseLike<unknown>[] {
  const sites = new Map<string, HandedUrl>();
  for (const url of urls) {
    const known = sites.get(url.origin);
    if (known === undefined || known.priority < url.priority) sites.set(url.origin, url);
  }
  const origins = [...sites.keys()].sort();
  const first = origins.flatMap((origin) => sites.get(origin) ?? []);
  return [
    addOrigins(
      sql,
      origins,
      first.map(({ note }) => note),
      first.map(({ priority }) => boundPriority(priority)),
    ),
    sql`
      WITH handed AS MATERIALIZED (
        SELECT site, ${keyOf(sql, "u.path")} AS key, u.path, u.note, u.priority
        FROM unnest(${urls.map(({ origin }) => origin)}::text[], ${urls.map(({ path }) => path)}::text[],
          ${urls.map(({ note }) => note)}::text[], ${urls.map(({ priority }) => priority)}::double precision[])
          AS u (origin, path, note, priority)
        CROSS JOIN LATERAL (SELECT site FROM site_origin o WHERE o.origin = u.origin LIMIT 1) AS known),
      fresh AS MATERIALIZED (SELECT * FROM handed WHERE (
        SELECT true FROM handed_url h WHERE h.site = handed.site AND h.key = handed.key) IS NULL AND (
        SELECT true FROM page p WHERE p.site = handed.site AND p.key = handed.key) IS NULL),
      room AS MATERIALIZED (
        SELECT site, ${handedBound} - (
          SELECT count(*) FROM (
            SELECT FROM handed_url h WHERE h.site = s.site ORDER BY priority DESC, id LIMIT ${handedBound}) AS there) AS room
        FROM (SELECT DISTINCT site FROM fresh) AS s),
      added AS (
        INSERT INTO handed_url (site, key, path, note, priority)
        SELECT site, key, path, note, priority FROM (
          SELECT fresh.*, row_number() OVER (PARTITION BY site ORDER BY priority DESC) AS rank FROM fresh) AS ranked
        JOIN room USING (site) WHERE rank <= room ORDER BY site, key
        ON CONFLICT (site, key) DO NOTHING RETURNING site)
      INSERT INTO handed_site (site) SELECT DISTINCT site FROM added`,
  ];
}

/** Adds sites that are not known yet, due at once. */
export function addOrigins(
  sql: Sql,
  origins: readonly string[],
  notes: readonly string[],
  priorities: readonly number[],
): PromiseLike<unknown> {
  return sql`
    WITH asked AS (
      SELECT * FROM unnest(${[...origins]}::text[], ${[...notes]}::text[], ${[...priorities]}::smallint[])
        AS a (origin, note, priority)),
    added AS (
      INSERT INTO site_origin (origin, note)
      SELECT origin, note FROM asked WHERE (SELECT true FROM site_origin o WHERE o.origin = asked.origin) IS NULL
      ORDER BY origin ON CONFLICT (origin) DO NOTHING RETURNING site, origin)
    INSERT INTO site (id, priority) SELECT site, priority FROM added JOIN asked USING (origin)`;
}

/** Drops the oldest visits and events, a batch of each, and workers, that the fleet does not keep any more. */
export async function dropHistory(sql: Sql): Promise<void> {
  await sql`DELETE FROM worker USING fleet WHERE seen < now() - history_days * interval '1 day'`;
  await sql`DELETE FROM visit WHERE id IN (
    SELECT id FROM (SELECT id, at FROM visit ORDER BY id LIMIT ${batchSize}) AS oldest, fleet
    WHERE at < now() - history_days * interval '1 day')`;
  await sql`DELETE FROM web_event WHERE id IN (
    SELECT id FROM (SELECT id, at FROM web_event ORDER BY id LIMIT ${batchSize}) AS oldest, fleet
    WHERE at < extract(epoch FROM now()) - history_days * 86400)`;
}
