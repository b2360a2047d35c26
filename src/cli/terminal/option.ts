import type { Options } from "yargs";
import { helpOf, type Setting, type SettingsOf } from "../../config/index.ts";
import { omitUndefined, parseHttpUrl, TidemarkError } from "../../core/index.ts";

/** What yargs made of the command line: names as they are written, values as text. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** A text that stands at its place on the command line. */
export function textOption(args: RawArguments, name: string): string | undefined {
  const value = args[name];
  return value === undefined ? undefined : String(value);
}

/** Texts that stand at their place on the command line. */
export function listOption(args: RawArguments, name: string): string[] {
  return [args[name] ?? []].flat().map(String);
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

/** The options that settings are on the command line, as yargs wants them: values stay text, and are read by {@link readSettings}. */
export function yargsOptionsOf(table: object): Record<string, Options> {
  const options: Record<string, Options> = {};
  for (const setting of settingsOf(table)) {
    const { option, alias, kind, former, isDeprecated } = setting;
    const type = kind.form === "flag" ? "boolean" : "string";
    options[option] = {
      type,
      ...omitUndefined({ alias }),
      ...(isDeprecated ? { hidden: true } : { describe: helpOf(setting) }),
    };
    if (former !== undefined) options[former.option] = { type, hidden: true };
  }
  return options;
}

/**
 * Reads settings from the command line.
 *
 * @returns what was given, by the table's keys
 * @throws TidemarkError `bad-option`
 */
export function readSettings<Table extends object>(args: RawArguments, table: Table): SettingsOf<Table> {
  const entries = Object.entries(table).map(([key, setting]) => [key, readSetting(args, setting)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as SettingsOf<Table>;
}

function settingsOf(table: object): readonly Setting[] {
  return Object.values(table);
}

function readSetting(args: RawArguments, { option, former, kind }: Setting): unknown {
  const given = [...listOf(args[option]), ...(former === undefined ? [] : listOf(args[former.option]))];
  if (kind.form === "flag") return given.includes(true) ? true : undefined;
  const values = given.map((one) => readValue(option, kind, String(one)));
  if (kind.form === "values") return values.length === 0 ? undefined : values.flat();
  if (values.length > 1) throw new TidemarkError("bad-option", `--${option} is given more than once.`);
  return values[0];
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function readValue(option: string, { parseText, whenAlone, expects, hint }: Setting["kind"], text: string): unknown {
  if (text === "" && whenAlone !== undefined) return whenAlone;
  if (text === "") throw new TidemarkError("bad-option", `--${option} needs a value.`);
  const value = parseText(text);
  if (value !== undefined) return value;
  throw new TidemarkError(
    "bad-option",
    `--${option} ${JSON.stringify(text)}: not ${expects}.`,
    omitUndefined({ hint }),
  );
}
