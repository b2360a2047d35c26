import type { Options } from "yargs";
import { helpOf, type Setting, type SettingsOf, siteUrl } from "../../config/index.ts";
import { hideLogins, omitUndefined, TidemarkError } from "../../core/index.ts";

/** What yargs made of the command line: names as they are written, values as text. */
export type RawArguments = Readonly<Record<string, unknown>>;

/** A text that stands at its place on the command line; empty if it is not there. */
export function argument(args: RawArguments, name: string): string {
  return String(args[name] ?? "");
}

/** The URLs of sites that stand at their place on the command line. @throws TidemarkError `bad-option` */
export function siteArguments(args: RawArguments, name: string): string[] {
  return [args[name] ?? []].flat().map((url) => readSiteUrl("The address", String(url)));
}

/** The URL of a site. @throws TidemarkError `bad-option` */
export function readSiteUrl(what: string, text: string): string {
  return readValue(what, siteUrl, text) as string;
}

/** The options that settings are on the command line, as yargs wants them: values stay text, and are read by {@link readSettings}. */
export function yargsOptionsOf(table: object): Record<string, Options> {
  const options: Record<string, Options> = {};
  for (const setting of Object.values(table) as Setting[]) {
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

function readSetting(args: RawArguments, { option, former, kind }: Setting): unknown {
  const given = [args[option], former && args[former.option]].flat().filter((one) => one !== undefined);
  if (kind.form === "flag") return given.includes(true) ? true : undefined;
  const values = given.map((one) => readValue(`--${option}`, kind, String(one)));
  if (kind.form === "values") return values.length === 0 ? undefined : values.flat();
  if (values.length > 1) throw new TidemarkError("bad-option", `--${option} is given more than once.`);
  return values[0];
}

function readValue(what: string, { parseText, whenAlone, expects, hint }: Setting["kind"], text: string): unknown {
  if (text === "" && whenAlone !== undefined) return whenAlone;
  if (text === "") throw new TidemarkError("bad-option", `${what} needs a value.`);
  const value = parseText(text);
  if (value !== undefined) return value;
  throw new TidemarkError(
    "bad-option",
    `${what} ${JSON.stringify(hideLogins(text))}: not ${expects}.`,
    omitUndefined({ hint }),
  );
}
