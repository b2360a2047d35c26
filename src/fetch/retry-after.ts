import { parseHttpDate } from "../format/index.ts";
import type { EpochMs } from "../model/index.ts";

/** No server makes us wait longer than this. */
const maxRetryAfterMs = 7 * 24 * 3600 * 1000;

/**
 * Reads Retry-After.
 *
 * @returns a time from now to a week after it, or undefined if the text is neither seconds nor a date
 * @see RFC 9110 section 10.2.3
 */
export function parseRetryAfter(text: string | undefined, now: EpochMs): EpochMs | undefined {
  if (text === undefined) return undefined;
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : parseHttpDate(text, now);
  return time === undefined ? undefined : Math.min(Math.max(time, now), now + maxRetryAfterMs);
}
