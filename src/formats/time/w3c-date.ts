import { type EpochSeconds, maxEpochSeconds } from "../../core/index.ts";

const form =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,20})?)?(?: ?([Zz]|UTC|[+-]\d\d:?\d\d|[+-]\d\d))?)?)?)?$/;

/**
 * Reads a date as sitemaps and ResourceSync write it: a year, a month, a day, or a time with an offset. A part of a
 * second is cut off, what is missing of a date is its beginning, and a time without an offset is taken as UTC.
 *
 * @returns seconds since 1970; undefined if it is no such date (the 31st of February is not), before 1970, or after 9999
 * @see W3C NOTE-datetime; also read are a space for the `T` and an offset without a colon, which many sites write
 */
export function parseW3cDate(text: string): EpochSeconds | undefined {
  const match = text.length > 64 ? null : form.exec(text);
  if (match === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", offset = "Z"] = match;
  const midnight = new Date(0);
  midnight.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (midnight.getUTCMonth() !== Number(month) - 1 || midnight.getUTCDate() !== Number(day)) return undefined;
  // A leap second is a second too, and becomes the one after it; 24:00:00 is the next day's midnight in xsd:dateTime.
  const isMidnightAfter = hour === "24" && minute === "00" && second === "00";
  if ((Number(hour) > 23 && !isMidnightAfter) || Number(minute) > 59 || Number(second) > 60) return undefined;
  const offsetMinutes = parseOffset(offset);
  if (offsetMinutes === undefined) return undefined;
  const minutes = Number(hour) * 60 + Number(minute) - offsetMinutes;
  const seconds = midnight.getTime() / 1000 + minutes * 60 + Number(second);
  return seconds < 0 || seconds > maxEpochSeconds ? undefined : seconds;
}

function parseOffset(offset: string): number | undefined {
  if (!/^[+-]/.test(offset)) return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(":", "") || "0");
  if (hours > 14 || minutes > 59) return undefined;
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * Writes a time in full seconds of UTC: `2026-11-20T02:00:00Z`, an `xsd:dateTime`.
 *
 * @param seconds - whole, from 0 to the end of 9999
 * @throws RangeError if it is not
 */
export function formatW3cDate(seconds: EpochSeconds): string {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > maxEpochSeconds)
    throw new RangeError(`not a time in whole seconds: ${seconds}`);
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

const secondsOfDay = 86_400;
const twoDigits: readonly string[] = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Writes dates as {@link formatW3cDate} does, several times as fast where many are of one day. */
export class W3cDateWriter {
  #day: number | undefined;
  #dayText = "";

  /** @throws RangeError as {@link formatW3cDate} */
  format(seconds: EpochSeconds): string {
    const day = Math.floor(seconds / secondsOfDay);
    if (day !== this.#day || !Number.isInteger(seconds)) {
      this.#dayText = formatW3cDate(seconds).slice(0, "2026-11-20T".length);
      this.#day = day;
    }
    const inDay = seconds - day * secondsOfDay;
    const minute = Math.floor(inDay / 60);
    const hour = Math.floor(minute / 60);
    return `${this.#dayText}${twoDigits[hour]}:${twoDigits[minute - hour * 60]}:${twoDigits[inDay - minute * 60]}Z`;
  }
}
