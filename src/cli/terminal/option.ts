import { date, mediaTypes, parseDate, parseDuration } from "../../config/index.ts";
import {
  type EpochMs,
  type MediaTypeFilter,
  omitUndefined,
  parseHttpUrl,
  parseMediaTypeFilter,
  TidemarkError,
} from "../../core/index.ts";

/** What yargs made of the command line: names as they are written, values as text. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** A text option, given at most once. */
export function textOption(args: RawArguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) throw new TidemarkError("bad-option", `--${name} is given more than once.`);
  if (String(value) === "") throw new TidemarkError("bad-option", `--${name} is empty.`);
  return String(value);
}

/** An option that may be repeated. */
export function listOption(args: RawArguments, name: string): string[] {
  const value = args[name];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** An option that is there or not. */
export function flagOption(args: RawArguments, name: string): boolean {
  const value = args[name];
  return Array.isArray(value) ? value.includes(true) : value === true;
}

/** A whole number of a range. */
export function integerOption(args: RawArguments, name: string, min: number, max: number): number | undefined {
  const text = textOption(args, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d{1,15}$/.test(text) || value < min || value > max) {
    throw new TidemarkError("bad-option", `--${name} ${text}: not a whole number from ${min} to ${max}.`);
  }
  return value;
}

/** A time span with its unit, in milliseconds. */
export function durationOption(args: RawArguments, name: string): number | undefined {
  const text = textOption(args, name);
  if (text === undefined) return undefined;
  const value = parseDuration(text);
  if (value !== undefined && value > 0) return value;
  throw new TidemarkError("bad-option", `--${name} ${text}: not a time span.`, {
    hint: "Write 90s, 30m, 26h, 2d or 1w.",
  });
}

/** One of some words. */
export function choiceOption<T extends string>(args: RawArguments, name: string, choices: readonly T[]): T | undefined {
  const text = textOption(args, name);
  const choice = choices.find((one) => one === text);
  if (text !== undefined && choice === undefined) {
    throw new TidemarkError("bad-option", `--${name} ${text}: not one of ${choices.join(", ")}.`);
  }
  return choice;
}

/** A date (its first moment in UTC) or a date with time; without a zone the time is UTC too. */
export function dateOption(args: RawArguments, name: string): EpochMs | undefined {
  const text = textOption(args, name);
  if (text === undefined) return undefined;
  const time = parseDate(text);
  if (time !== undefined) return time;
  throw new TidemarkError("bad-option", `--${name} ${text}: not a date.`, omitUndefined({ hint: date.hint }));
}

/** Media types, as a list with commas, repeated, or both. */
export function mediaTypesOption(
  args: RawArguments,
  name: string,
): { types: string[] | undefined; filter: MediaTypeFilter } {
  const given = listOption(args, name);
  const types = given.flatMap((list) => list.split(",")).map((type) => type.trim());
  const filter = parseMediaTypeFilter(types);
  if (filter === undefined) {
    throw new TidemarkError("bad-option", `--${name} ${given.join(",")}: not media types.`, {
      ...omitUndefined({ hint: mediaTypes.hint }),
    });
  }
  return { types: given.length === 0 ? undefined : types, filter };
}

/** An absolute URL of a site. */
export function siteUrl(text: string, what: string): string {
  if (parseHttpUrl(text) === undefined) {
    throw new TidemarkError("bad-option", `${what} ${JSON.stringify(text)}: not an http or https URL.`, {
      hint: "Write the whole address, such as https://example.org/.",
    });
  }
  return text;
}
