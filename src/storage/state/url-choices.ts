import type { CandidateChoice, UrlChoice } from "../../core/index.ts";
import { candidateColumns, urlColumns } from "./url-rows.ts";

/** Of one URL. */
export const select: string = `SELECT ${urlColumns} FROM url u`;
/** SQLite cannot tell how much smaller a partial index is. */
export const selectBy = (index: string): string => `${select} INDEXED BY ${index}`;
/** Of polled URLs in the order of discovery: not answered in this visit. */
const isDue = "u.id > ?2 AND u.due <= ?4 AND (u.asked IS NULL OR u.asked < ?4) ORDER BY u.id LIMIT ?3";

/** The URLs of a choice. */
export const choices: Readonly<Record<UrlChoice, string>> = {
  announced: `${select} WHERE u.site = ?1 AND u.work = 'due' AND u.path > ?2 ORDER BY u.path LIMIT ?3`,
  withdrawn: `${select} WHERE u.site = ?1 AND u.work = 'delete' AND u.path > ?2 ORDER BY u.path LIMIT ?3`,
  new: `${select} WHERE u.site = ?1 AND u.state = 'new' AND u.id > ?2 ORDER BY u.id LIMIT ?3`,
  ranked: `${selectBy("url_ranked")} WHERE u.site = ?1 AND u.state = 'new' AND u.rank > 0 AND +u.id > ?2
    ORDER BY u.rank DESC, u.id LIMIT ?3`,
  // Ids are drawn before rows are read, because all new URLs take part.
  random: `${select.replace("url u", "(SELECT id FROM url INDEXED BY url_new WHERE site = ?1 AND state = 'new' AND id > ?2 ORDER BY random() LIMIT ?3) r CROSS JOIN url u ON u.id = r.id")}`,
  doubted: `${select} WHERE u.site = ?1 AND u.state = 'known' AND u.fetched IS NULL AND u.asked IS NOT NULL AND ${isDue}`,
  unconfirmed: `${selectBy("url_unconfirmed")} WHERE u.site = ?1 AND u.state = 'known' AND u.unconfirmed = 1 AND ${isDue}`,
  moved: `${selectBy("url_moved")} WHERE u.site = ?1 AND u.state = 'known'
    AND (u.lastmod IS NULL OR u.lastmod IS NOT u.asked_lastmod OR u.strikes > 0) AND ${isDue}`,
  hinted: `${selectBy("url_hinted")} WHERE u.site = ?1 AND u.state = 'known'
    AND (u.lastmod IS NOT u.asked_lastmod OR u.strikes > 0) AND ${isDue}`,
  unsettled: `${selectBy("url_hinted")} WHERE u.site = ?1 AND u.state = 'known'
    AND (u.lastmod IS NOT u.asked_lastmod OR u.strikes > 0) AND (u.lastmod IS NULL OR u.trouble IS NOT NULL) AND ${isDue}`,
  known: `${select} WHERE u.site = ?1 AND u.state = 'known' AND ${isDue}`,
};

/**
 * The same rows, with what decides whether a page is requested, as one text: to fetch them one by one takes twice as long as to write
 * and read it.
 */
const candidatesOf = (choice: CandidateChoice): string =>
  `SELECT '[' || coalesce(group_concat(row), '') || ']'
    FROM (${choices[choice].replace(urlColumns, `json_array(${candidateColumns}) AS row`)})`;

/** What {@link choices} give of candidates. */
export const candidates: Readonly<Record<CandidateChoice, string>> = {
  known: candidatesOf("known"),
  moved: candidatesOf("moved"),
  hinted: candidatesOf("hinted"),
};
