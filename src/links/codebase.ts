import { parseUrl } from "../model/index.ts";

const absolute = /^(?:[a-z][a-z0-9+.-]*:|\/)/i;

/**
 * A link of `object` or `applet` behind its `codebase`, both as they are written.
 *
 * @see HTML 4.01 sections 13.3 and 13.4
 */
export function behindCodebase(codebase: string | undefined, text: string): string {
  const base = codebase?.trim() ?? "";
  const link = text.trim();
  if (base === "" || link === "") return link;
  if (/^https?:\/\//i.test(base)) return parseUrl(link, base)?.href ?? link;
  return absolute.test(link) ? link : base.slice(0, base.lastIndexOf("/") + 1) + link;
}
