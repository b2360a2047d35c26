import type { HeldBody, Page } from "../../core/index.ts";
import { type Connection, prepareStatement, type SqlValue, transact } from "../sqlite/database.ts";

const pagesAtATime = 1000;
const isNamed = "site = ?1 AND path IN (SELECT value FROM json_each(?2))";

const sql = {
  source: `SELECT summary ->> '$.source' FROM visit WHERE site = ?1 AND summary ->> '$.source' <> 'none'
    ORDER BY id DESC LIMIT 1`,
  poll: `UPDATE url SET etag = NULL, http_modified = NULL, fetched = NULL, due = 0
    WHERE ${isNamed} AND state IS NOT NULL RETURNING path`,
  announce: `UPDATE url SET etag = NULL, http_modified = NULL, fetched = NULL,
      said_size = iif(work IS NULL, size, said_size), said_digest = iif(work IS NULL, digest, said_digest),
      said_modified = iif(work IS NULL, modified, said_modified), said_type = iif(work IS NULL, media_type, said_type),
      work = iif(work IS NULL OR work = 'parked', 'due', work)
    WHERE ${isNamed} AND (digest IS NOT NULL OR work IS NOT NULL)`,
  polled: `SELECT path, size, digest, modified, media_type FROM url
    WHERE site = ?1 AND path > ?2 AND digest IS NOT NULL AND state IS NOT NULL ORDER BY path LIMIT ?3`,
  // No body has this digest: whatever comes is kept. As if it was never requested, so that no source and no plan passes it over.
  forgetBodies: `UPDATE url SET digest = '', etag = NULL, http_modified = NULL, fetched = NULL, asked_lastmod = NULL,
      asked = NULL, due = 0 WHERE ${isNamed} AND digest IS NOT NULL`,
  // Its body may have been kept, and nobody remembered that.
  forgetAnnounced: `UPDATE url SET digest = '', etag = NULL, http_modified = NULL, fetched = NULL
    WHERE site = ?1 AND work IN ('due', 'parked', 'disallowed') AND digest IS NOT NULL`,
} as const;

/** Sources that publish changes: what they list is announced. Pages of others are polled. */
const publishing: ReadonlySet<string> = new Set(["archives", "resourcesync"]);

/**
 * Makes held pages due to be fetched whole, without validators, and to be written whatever their digest is: as announced
 * where the site publishes its changes, and where it does not as polled ones that were never fetched whole.
 *
 * @returns how many pages are due
 */
export function doubtPages(connection: Connection, site: number, paths: readonly string[]): number {
  return transact(connection, () => {
    const [source = ""] = (prepareStatement(connection, sql.source).get(site) as [string] | undefined) ?? [];
    const named = JSON.stringify(paths);
    const rows = publishing.has(source) ? [] : prepareStatement(connection, sql.poll).all(site, named);
    const polled = new Set((rows as [string][]).map(([path]) => path));
    const others = paths.filter((path) => !polled.has(path));
    if (others.length > 0) prepareStatement(connection, sql.announce).run(site, JSON.stringify(others));
    return polled.size + others.length;
  });
}

/** Makes held pages due as if they were never requested, and their bodies equal to none; within a transaction. */
export function forgetBodies(connection: Connection, site: number, paths: readonly string[]): void {
  const place: SqlValue[] = [site, JSON.stringify(paths)];
  prepareStatement(connection, sql.forgetBodies).run(...place);
}

type Row = [path: string, sizeBytes: number, digest: string, lastModified: number, mediaType: string];

/**
 * Forgets the validators of pages whose bodies are not those that are remembered: a visit that died between keeping or
 * removing a body and remembering that leaves another one behind. If the site went back to the page that is remembered,
 * it would answer 304, and the other body would stay for ever.
 *
 * Costs a look at each polled page that is held; to be called after a visit that did not end.
 *
 * @param holds - whether the body of a page is the one that is remembered
 */
export function doubtLeftBodies(connection: Connection, site: number, holds: (page: Page & HeldBody) => boolean): void {
  prepareStatement(connection, sql.forgetAnnounced).run(site);
  const polled = prepareStatement(connection, sql.polled);
  for (let after = ""; ; ) {
    const rows = polled.all(site, after, pagesAtATime) as Row[];
    const doubted = rows
      .filter(([path, sizeBytes, digest, lastModified, mediaType]) => {
        return !holds({ path, sizeBytes, digest, lastModified, mediaType });
      })
      .map(([path]) => path);
    if (doubted.length > 0) transact(connection, () => forgetBodies(connection, site, doubted));
    const last = rows.at(-1);
    if (last === undefined) return;
    [after] = last;
  }
}
