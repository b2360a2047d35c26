import type { EpochSeconds } from "../../core/index.ts";
import { type LogLine, logField } from "./log-line.ts";

const months = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** Reads moments such as `10/Oct/2026:13:55:36 -0700`, `2026-10-10T13:55:36-07:00` and seconds, milliseconds and microseconds since 1970; a day's lines share the work of its date. */
export class LogClock {
  #date = "";
  #midnight: EpochSeconds | undefined;

  /** @returns seconds since 1970; undefined if the line has no time in one of these forms */
  timeOf(line: LogLine): EpochSeconds | undefined {
    const text = line.textOf(logField.time, 40);
    const isIso = text[4] === "-";
    if (!isIso && text[2] !== "/") return readEpoch(text);
    const dateLength = isIso ? 10 : 11;
    const date = text.slice(0, dateLength);
    if (date !== this.#date) {
      this.#date = date;
      const month = isIso ? Number(date.slice(5, 7)) - 1 : months.indexOf(date.slice(3, 6)) / 3;
      const year = Number(isIso ? date.slice(0, 4) : date.slice(7));
      const day = Number(isIso ? date.slice(8) : date.slice(0, 2));
      const midnight = Date.UTC(year, month, day);
      const isMonth = date.length === dateLength && year >= 1970 && Number.isInteger(month) && month >= 0 && month < 12;
      // 30 February would be 1 March.
      this.#midnight = isMonth && new Date(midnight).getUTCDate() === day ? midnight / 1000 : undefined;
    }
    if (this.#midnight === undefined) return undefined;
    const at = dateLength + 1;
    const seconds =
      Number(text.slice(at, at + 2)) * 3600 +
      Number(text.slice(at + 3, at + 5)) * 60 +
      Number(text.slice(at + 6, at + 8));
    const zone = /([+-])(\d\d):?(\d\d)?$/.exec(text.slice(at));
    const offset = zone === null ? 0 : (Number(zone[2]) * 60 + Number(zone[3] ?? 0)) * (zone[1] === "-" ? -60 : 60);
    return Number.isFinite(seconds) ? this.#midnight + seconds - offset : undefined;
  }
}

/** Digits since 1970: how many there are tells their unit. */
function readEpoch(text: string): EpochSeconds | undefined {
  const unit = /^(?:\d{9,10}(?:\.\d+)?|(\d{12,13})|(\d{15,16}))$/.exec(text);
  if (unit === null) return undefined;
  return Math.floor(Number(text) / (unit[1] !== undefined ? 1e3 : unit[2] !== undefined ? 1e6 : 1));
}
