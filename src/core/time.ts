/** Whole milliseconds since 1970-01-01T00:00:00Z; the unit of times inside the program. */
export type EpochMs = number;

/** Whole seconds since 1970-01-01T00:00:00Z, the unit of last-modified and of publications. */
export type EpochSeconds = number;

/** The last second that the compact form can express: 9999-12-31T23:59:59Z. */
export const maxEpochSeconds: EpochSeconds = 253_402_300_799;

/** Returns the current time; tests and the lab pass their own. */
export type Clock = () => EpochMs;

const daySeconds = 86_400;
/** Cache of formatted days by day number; most times of a run fall on few days. */
const days = new Map<number, string>();
const maxDays = 4096;

function formatDay(day: number): string {
  const known = days.get(day);
  if (known !== undefined) return known;
  if (days.size >= maxDays) days.clear();
  const iso = new Date(day * daySeconds * 1000).toISOString();
  const text = iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10);
  days.set(day, text);
  return text;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

const compactPattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Formats a time in ISO 8601 basic form, as in archive names.
 *
 * @param seconds - from 0 to {@link maxEpochSeconds}
 * @returns for example `20261120T020000Z`; `0` for zero, which stands for "the beginning"
 * @throws RangeError if the time is out of range or not an integer
 */
export function formatCompactTime(seconds: EpochSeconds): string {
  if (seconds === 0) return "0";
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > maxEpochSeconds) {
    throw new RangeError(`not a time in whole seconds: ${seconds}`);
  }
  const day = Math.floor(seconds / daySeconds);
  const second = seconds - day * daySeconds;
  const minute = Math.floor(second / 60);
  return `${formatDay(day)}T${twoDigits(Math.floor(minute / 60))}${twoDigits(minute % 60)}${twoDigits(second % 60)}Z`;
}

/**
 * Parses what {@link formatCompactTime} wrote.
 *
 * @returns seconds since 1970, or undefined if the text is not a valid time (31 February is not)
 */
export function parseCompactTime(text: string): EpochSeconds | undefined {
  if (text === "0") return 0;
  const match = compactPattern.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const date = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const seconds = date / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  // An invalid date, such as 31 February, does not survive the round trip.
  return seconds > 0 && seconds <= maxEpochSeconds && formatCompactTime(seconds) === text ? seconds : undefined;
}

/** The longest time that `setTimeout` waits; what is longer it takes for nothing. */
export const maxTimerMs: number = 2 ** 31 - 1;
