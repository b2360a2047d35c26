import { excerpt, ok, type Problem, parseUrl, problem, type Result } from "../../core/index.ts";
import { isCanonicalPath } from "../../formats/url/index.ts";

// What the WHATWG URL parser leaves in a path or a query and an archive does not carry.
const unescaped = /[\\^`{}"<>]/g;

/**
 * Reads a URL of a list as a path of the site.
 *
 * @param text - an absolute URL, or a path with query that begins with `/`; a character from 128 to 255 is taken as
 *   a byte if `isBytes`
 * @param origin - the site's, without a slash at the end
 * @returns the canonical path with query, the fragment dropped; a problem `bad-url`, `other-origin` or `bad-path`
 * @see WHATWG URL Standard, section 4.4 (URL parsing)
 */
export function parseListedUrl(text: string, origin: string, isBytes: boolean): Result<string, Problem> {
  const path = text.startsWith(origin) ? text.slice(origin.length) : text;
  // Nearly all are as they should be, and no URL need be made of them.
  if (isCanonicalPath(path)) return ok(path);
  const given = text.trim();
  if (!/^(?:\/|https?:\/\/)/i.test(given)) return problem("bad-url", `neither a URL nor a path: ${excerpt(given)}`);
  const escaped = isBytes ? given.replace(/[\x80-\xff]/g, escapeByte) : given;
  const url = parseUrl(escaped, origin);
  if (url === undefined) return problem("bad-url", `not a URL: ${excerpt(given)}`);
  if (url.origin !== origin) return problem("other-origin", `not a URL of ${origin}: ${excerpt(given)}`);
  if (url.username !== "" || url.password !== "") return problem("bad-url", `a URL with a password in it`);
  const canonical = (url.pathname + url.search).replace(unescaped, escapeByte);
  return isCanonicalPath(canonical) ? ok(canonical) : problem("bad-path", `not a path to publish: ${excerpt(given)}`);
}

function escapeByte(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
