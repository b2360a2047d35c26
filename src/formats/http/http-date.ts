import type { EpochMs } from "../../core/index.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** After which the calendar repeats. */
const fourCenturiesMs = 146_097 * 86_400_000;

const fixdate = /^[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt$/i;
const rfc850 = /^[a-z]{6,9}, (\d\d)-([a-z]{3})-(\d\d) (\d\d:\d\d:\d\d) gmt$/i;
const asctime = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/i;

/**
 * Reads a date of HTTP in any of its three forms; names of weekdays are not compared with the date.
 *
 * @param now - a year of two digits is taken to be at most fifty years after this
 * @returns undefined if the text is not such a date (the 31st of February is not)
 * @see RFC 9110 section 5.6.7
 */
export function parseHttpDate(text: string, now: EpochMs): EpochMs | undefined {
  const date = text.trim();
  // Nearly all have this form: no match is made of them, for each page's answer has two.
  if (fixdate.test(date)) return fromParts(Number(date.slice(12, 16)), date.slice(8, 11), twoDigits(date, 5), date, 17);
  const old = rfc850.exec(date);
  if (old !== null) return fromParts(fullYear(Number(old[3]), now), old[2], Number(old[1]), old[4]);
  const plain = asctime.exec(date);
  return plain === null ? undefined : fromParts(Number(plain[4]), plain[1], Number(plain[2]), plain[3]);
}

/** Writes a time as HTTP does: `Sun, 06 Nov 1994 08:49:37 GMT`. Parts of a second are cut off. */
export function formatHttpDate(time: EpochMs): string {
  return new Date(time).toUTCString();
}

function fullYear(shortYear: number, now: EpochMs): number {
  const latest = new Date(now).getUTCFullYear() + 50;
  return latest - ((((latest - shortYear) % 100) + 100) % 100);
}

function twoDigits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 48 * 11;
}

/** @param time - has `08:49:37` at `at` */
function fromParts(year: number, monthName = "", day: number, time = "", at = 0): EpochMs | undefined {
  const month = months.indexOf(monthName.toLowerCase());
  const [hour, minute, second] = [twoDigits(time, at), twoDigits(time, at + 3), twoDigits(time, at + 6)];
  // A leap second is a date of HTTP too, and becomes the second after it.
  if (month === -1 || hour > 23 || minute > 59 || second > 60) return undefined;
  // Years before 100 are no others here.
  const midnight = Date.UTC(year + 400, month, day);
  if (day < 1 || midnight >= Date.UTC(year + 400, month + 1, 1)) return undefined;
  return midnight - fourCenturiesMs + ((hour * 60 + minute) * 60 + second) * 1000;
}
