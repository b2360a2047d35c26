import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";

const sql = {
  source: `SELECT summary ->> '$.source' FROM visit WHERE site = ?1 AND summary ->> '$.source' <> 'none'
    ORDER BY id DESC LIMIT 1`,
  targets: `UPDATE target SET etag = NULL, modified = NULL, full = NULL, due = 0
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2)) RETURNING path`,
  forgetValidators: `UPDATE page SET etag = NULL, http_modified = NULL, fetched = NULL
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))`,
  work: `INSERT INTO work (site, path, kind, size, digest, modified, media_type, seen)
    SELECT ?1, path, 'fetch', size, digest, modified, media_type, 0 FROM page
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))
    ON CONFLICT DO UPDATE SET state = 'due' WHERE state = 'parked'`,
} as const;

/** Sources that publish changes: what they list is work. Of others each page is asked for. */
const publishing: ReadonlySet<string> = new Set(["archives", "resourcesync"]);

/**
 * Makes held pages due to be fetched whole, without validators, and to be written whatever their digest is: as work
 * where the site publishes its changes, and where it does not as targets of which nothing was ever fetched whole.
 *
 * @returns how many pages are due
 */
export function doubtPages(connection: Connection, site: number, paths: readonly string[]): number {
  return transact(connection, () => {
    prepareStatement(connection, sql.forgetValidators).run(site, json(paths));
    const [source = ""] = (prepareStatement(connection, sql.source).get(site) as [string] | undefined) ?? [];
    const asTargets = publishing.has(source) ? [] : prepareStatement(connection, sql.targets).all(site, json(paths));
    const known = new Set((asTargets as [string][]).map(([path]) => path));
    const others = paths.filter((path) => !known.has(path));
    if (others.length > 0) prepareStatement(connection, sql.work).run(site, json(others));
    return known.size + others.length;
  });
}

function json(paths: readonly string[]): string {
  return JSON.stringify(paths);
}
