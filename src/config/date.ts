import type { EpochMs } from "../core/index.ts";
import type { SettingKind } from "./setting-kind.ts";

const dateForm = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/**
 * A date (its first moment in UTC) or a date with time, such as `2026-11-20T02:00:00Z`; without a zone the time is UTC
 * too. Undefined if it is none.
 */
export function parseDate(text: string): EpochMs | undefined {
  const zoned = /T/.test(text) && !/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? `${text}Z` : text;
  const time = Date.parse(zoned);
  // Date.parse takes the 31st of February for the 3rd of March.
  const isDay = new Date(`${text.slice(0, 10)}T00:00:00Z`).toJSON()?.startsWith(text.slice(0, 10)) ?? false;
  return dateForm.test(text) && isDay && time >= 0 ? time : undefined;
}

const dateWords = { error: "must be a date such as 2026-11-20 or 2026-11-20T02:00:00Z" };

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
