import type { HeldBody, Page } from "../../core/index.ts";
import { type Connection, prepareStatement, type SqlValue, transact } from "../sqlite/database.ts";

const pagesAtATime = 1000;

const sql = {
  pages: `SELECT p.path, p.size, p.digest, p.modified, p.media_type FROM page p
    JOIN target t ON t.site = p.site AND t.path = p.path WHERE p.site = ?1 AND p.path > ?2 ORDER BY p.path LIMIT ?3`,
  // No body has this digest: whatever comes is kept.
  forgetBody: `UPDATE page SET digest = '', etag = NULL, http_modified = NULL, fetched = NULL
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))`,
  // Its body may have been kept, and nobody remembered that.
  forgetWorked: `UPDATE page SET digest = '', etag = NULL, http_modified = NULL, fetched = NULL
    WHERE site = ?1 AND path IN (SELECT path FROM work WHERE site = ?1 AND kind = 'fetch')`,
  // As if it was never asked for, so that no source and no plan passes it over.
  askAnew: `UPDATE target SET etag = NULL, modified = NULL, asked_lastmod = NULL, asked = NULL, due = 0
    WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))`,
} as const;

/** Makes targets due as if they were never asked for, and their bodies none that could be the same; within a transaction. */
export function doubtTargets(connection: Connection, site: number, paths: readonly string[]): void {
  const place: SqlValue[] = [site, JSON.stringify(paths)];
  prepareStatement(connection, sql.forgetBody).run(...place);
  prepareStatement(connection, sql.askAnew).run(...place);
}

type Row = [path: string, sizeBytes: number, digest: string, lastModified: number, mediaType: string];

/**
 * Forgets the validators of pages whose bodies are not those that are remembered: a visit that died between keeping or
 * removing a body and remembering that leaves another one behind. A site that goes back to the page that is
 * remembered would else answer 304, and the other body would stay for ever.
 *
 * Costs a look at each held page of a site without archives; to be called after a visit that did not end.
 *
 * @param holds - whether the body of a page is the one that is remembered
 */
export function doubtLeftBodies(connection: Connection, site: number, holds: (page: Page & HeldBody) => boolean): void {
  prepareStatement(connection, sql.forgetWorked).run(site);
  const pages = prepareStatement(connection, sql.pages);
  for (let after = ""; ; ) {
    const rows = pages.all(site, after, pagesAtATime) as Row[];
    const doubted = rows
      .filter(([path, sizeBytes, digest, lastModified, mediaType]) => {
        return !holds({ path, sizeBytes, digest, lastModified, mediaType });
      })
      .map(([path]) => path);
    if (doubted.length > 0) transact(connection, () => doubtTargets(connection, site, doubted));
    const last = rows.at(-1);
    if (last === undefined) return;
    [after] = last;
  }
}
