import type { EpochMs } from "../core/index.ts";
import { mustBe, type SettingKind } from "./setting-kind.ts";

const dateForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A date (its first moment in UTC) or a date with time, such as `2026-11-20T02:00:00Z`; without a zone the time is UTC
 * too. Undefined if it is none.
 */
function parseDate(text: string): EpochMs | undefined {
  const zoned = /T/.test(text) && !/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text;
  const time = Date.parse(zoned);
  // Date.parse takes the 31st of February for the 3rd of March.
  const isDay = new Date(`${text.slice(0, 10)}T00:00:00Z`).toJSON()?.startsWith(text.slice(0, 10)) ?? false;
  return dateForm.test(text) && isDay && time >= 0 ? time : undefined;
}

const dateWords = mustBe("a date such as 2026-11-20 or 2026-11-20T02:00:00Z");

/** A date, with or without a time. */
export const date: SettingKind<EpochMs> = {
  expects: "a date",
  hint: "Write 2026-11-20, or 2026-11-20T02:00:00Z; without a zone the time is UTC.",
  form: "value",
  parseText: parseDate,
  schema: (zod) =>
    zod
      .string(dateWords)
      .refine((given) => parseDate(given) !== undefined, dateWords)
      .transform((given) => parseDate(given) ?? Number.NaN),
};

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** A time span such as `500ms`, `90s`, `30m`, `26h`, `2d`, `1w`, in milliseconds; undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|[smhdw])$/.exec(text) ?? [];
  const unitMs = units[unit];
  return number === undefined || unitMs === undefined ? undefined : Math.round(Number(number) * unitMs);
}

/** A time span with its unit, longer than none. */
export const timeSpan: SettingKind<number> = {
  ...duration(Number.MAX_SAFE_INTEGER),
  expects: "a time span",
  hint: "Write 90s, 30m, 26h, 2d or 1w.",
  parseText: (given) => parseDuration(given) || undefined,
};

/** A time span: on the command line with its unit, such as `250ms` or `2s`; in a file a whole number of milliseconds. */
export function duration(maxMs: number): SettingKind<number> {
  const days = maxMs / 86_400_000;
  const most = days >= 1 ? `${days} days` : `${maxMs / 60_000} minutes`;
  const expects = `a time span such as 250ms or 2s, at most ${most}`;
  const inFile = `a whole number of milliseconds up to ${maxMs}`;
  return {
    expects,
    form: "value",
    parseText: (given) => {
      const value = parseDuration(given);
      return value !== undefined && value <= maxMs ? value : undefined;
    },
    schema: (zod) => zod.int(mustBe(inFile)).min(0, mustBe(inFile)).max(maxMs, mustBe(inFile)),
  };
}
