import type { EpochSeconds } from "../../core/index.ts";
import { parseW3cDate } from "../time/index.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const zones: Readonly<Record<string, string>> = {
  ut: "Z",
  utc: "Z",
  gmt: "Z",
  z: "Z",
  est: "-0500",
  edt: "-0400",
  cst: "-0600",
  cdt: "-0500",
  mst: "-0700",
  mdt: "-0600",
  pst: "-0800",
  pdt: "-0700",
};
const form =
  /^(?:[a-z]{3,9},? )?(\d{1,2}) ([a-z]{3})[a-z]{0,6} (\d{4}|\d\d) (\d{1,2}):(\d\d)(?::(\d\d))? ([a-z]{1,3}|[+-]\d{4})$/;

/**
 * Reads a date as feeds write it: of RFC 822 with years of two or four digits, as RSS 2.0 has it, or of RFC 3339, as Atom
 * and Dublin Core have it.
 *
 * @returns seconds since 1970; undefined for what is no such date, also for one of RFC 822 without a time zone
 * @see RFC 822 section 5.1, RFC 5322 section 3.3, RFC 4287 section 3.3
 */
export function parseFeedDate(text: string): EpochSeconds | undefined {
  if (text.length > 64) return undefined;
  const match = form.exec(text.trim().toLowerCase().replace(/\s+/g, " "));
  if (match === null) return parseW3cDate(text);
  const [, day = "", name = "", year = "", hour = "", minute = "", second = "00", zone = ""] = match;
  const month = months.indexOf(name) + 1;
  const offset = zones[zone] ?? zone;
  // RFC 5322 section 4.3: two digits from 50 on are of the last century.
  const fullYear = year.length === 4 ? year : `${Number(year) < 50 ? "20" : "19"}${year}`;
  const two = (part: string | number): string => String(part).padStart(2, "0");
  return parseW3cDate(`${fullYear}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${offset}`);
}
