import { type Connection, prepareStatement } from "../sqlite/database.ts";

// `@` follows `?`. What was held has a change that is remembered.
const queries = `SELECT u.path FROM url u WHERE u.site = ?1 AND u.path >= ?2 || '?' AND u.path < ?2 || '@'
  AND (u.digest IS NOT NULL OR NOT EXISTS (SELECT 1 FROM seen_change s WHERE s.site = u.site AND s.path = u.path))
  ORDER BY u.path LIMIT ?3`;

/**
 * Known URLs that are a path with a query, without pages that were held and are gone. O(`limit` and those that are gone).
 *
 * @param limit - at most so many
 */
export function readQueries(connection: Connection, site: number, path: string, limit: number): string[] {
  return (prepareStatement(connection, queries).all(site, path, limit) as [string][]).map(([known]) => known);
}
