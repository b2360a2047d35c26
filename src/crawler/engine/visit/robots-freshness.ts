/** RFC 9309 section 2.4: a copy of robots.txt is not used longer than this without asking, in milliseconds. */
export const maxCopyAgeMs: number = 24 * 60 * 60 * 1000;

/**
 * For how long a robots.txt need not be asked for again: its `max-age`, at most a day; a day if it has none; not at
 * all after `no-cache`, `no-store`, or a `max-age` that is no number.
 *
 * @param cacheControl - the field's value; of several `max-age` the least holds
 * @returns milliseconds
 * @see RFC 9309 section 2.4; RFC 9111 section 5.2.2
 */
export function robotsFreshMs(cacheControl: string | undefined): number {
  let freshMs = maxCopyAgeMs;
  for (const directive of (cacheControl ?? "").toLowerCase().split(",")) {
    const [name = "", value = ""] = directive.split("=", 2).map((part) => part.trim());
    if (name === "no-cache" || name === "no-store") return 0;
    if (name !== "max-age") continue;
    const seconds = /^"?(\d+)"?$/.exec(value)?.[1];
    freshMs = Math.min(freshMs, seconds === undefined ? 0 : Number(seconds) * 1000);
  }
  return freshMs;
}
