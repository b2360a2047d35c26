import type { Options } from "yargs";
import type { Setting } from "../../config/index.ts";
import { omitUndefined, TidemarkError } from "../../core/index.ts";
import { valueOption } from "./command.ts";
import { flagOption, listOption, type RawArguments, textOption } from "./option.ts";

/** The options that settings are on the command line, without those of some names. */
export function optionsOfSettings(table: object, without: readonly string[] = []): Record<string, Options> {
  const rows = settingsOf(table).filter(([, { option }]) => !without.includes(option));
  return Object.fromEntries(
    rows.map(([, { option, kind, describe, isDeprecated }]) => {
      if (isDeprecated)
        return [option, { ...(kind.form === "flag" ? { type: "boolean" } : valueOption(describe)), hidden: true }];
      if (kind.form === "flag") return [option, { type: "boolean", describe }];
      return [option, kind.whenAlone === undefined ? valueOption(describe) : { type: "string", describe }];
    }),
  );
}

/**
 * Reads settings from the command line.
 *
 * @returns what was given, by the table's keys
 * @throws TidemarkError `bad-option`
 */
export function readSettings<T>(args: RawArguments, table: { readonly [K in keyof T]-?: Setting }): Partial<T> {
  const entries = settingsOf(table).map(([key, setting]) => [key, readSetting(args, setting)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Partial<T>;
}

function settingsOf(table: object): ReadonlyArray<readonly [string, Setting]> {
  return Object.entries(table);
}

function readSetting(args: RawArguments, { option, kind }: Setting): unknown {
  const parse = (text: string): unknown => {
    const value = kind.parseText(text);
    if (value !== undefined) return value;
    const { expects, hint } = kind;
    throw new TidemarkError(
      "bad-option",
      `--${option} ${JSON.stringify(text)}: not ${expects}.`,
      omitUndefined({ hint }),
    );
  };
  if (kind.form === "flag") return flagOption(args, option) ? true : undefined;
  if (kind.form === "values") return args[option] === undefined ? undefined : listOption(args, option).flatMap(parse);
  if (kind.whenAlone !== undefined && (args[option] === "" || args[option] === true)) return kind.whenAlone;
  const text = textOption(args, option);
  return text === undefined ? undefined : parse(text);
}
