import type { EpochMs } from "../../core/index.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** After which the calendar repeats. */
const fourCenturiesMs = 146_097 * 86_400_000;

const fixdate = /^[a-z]{3}, (\d\d) ([a-z]{3}) (\d{4}) (\d\d):(\d\d):(\d\d) gmt$/;
const rfc850 = /^[a-z]{6,9}, (\d\d)-([a-z]{3})-(\d\d) (\d\d):(\d\d):(\d\d) gmt$/;
const asctime = /^[a-z]{3} ([a-z]{3}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/;

/**
 * Reads a date of HTTP in any of its three forms; names of weekdays are not compared with the date.
 *
 * @param now - a year of two digits is taken to be at most fifty years after this
 * @returns undefined if the text is not such a date (the 31st of February is not)
 * @see RFC 9110 section 5.6.7
 */
export function parseHttpDate(text: string, now: EpochMs): EpochMs | undefined {
  const date = text.trim().toLowerCase();
  const modern = fixdate.exec(date);
  if (modern !== null) return fromParts(modern[3], modern[2], modern[1], modern.slice(4));
  const old = rfc850.exec(date);
  if (old !== null) return fromParts(fullYear(Number(old[3]), now), old[2], old[1], old.slice(4));
  const plain = asctime.exec(date);
  return plain === null ? undefined : fromParts(plain[6], plain[1], plain[2], plain.slice(3, 6));
}

/** Writes a time as HTTP does: `Sun, 06 Nov 1994 08:49:37 GMT`. Parts of a second are cut off. */
export function formatHttpDate(time: EpochMs): string {
  return new Date(time).toUTCString();
}

function fullYear(twoDigits: number, now: EpochMs): number {
  const latest = new Date(now).getUTCFullYear() + 50;
  return latest - ((((latest - twoDigits) % 100) + 100) % 100);
}

function fromParts(
  year: string | number | undefined,
  monthName: string | undefined,
  dayText: string | undefined,
  time: readonly (string | undefined)[],
): EpochMs | undefined {
  const month = months.indexOf(monthName ?? "");
  const day = Number(dayText);
  const [hour = 24, minute = 60, second = 61] = time.map(Number);
  // A leap second is a date of HTTP too, and becomes the second after it.
  if (month === -1 || hour > 23 || minute > 59 || second > 60) return undefined;
  // A day that the month has not is one of another month: then the day's number differs. Years before 100 are no others.
  const midnight = Date.UTC(Number(year) + 400, month, day) - fourCenturiesMs;
  if (new Date(midnight).getUTCDate() !== day) return undefined;
  return midnight + ((hour * 60 + minute) * 60 + second) * 1000;
}
