import type { SettingKind } from "./setting-kind.ts";

/** One setting: an option of the command line and a key of a configuration file. */
export interface Setting<T = unknown> {
  /** Its name on the command line, without dashes. */
  readonly option: string;
  readonly kind: SettingKind<T>;
  /** Its letter on the command line. */
  readonly alias?: string;
  /** Its key in a file, if that is not the property's name. */
  readonly key?: string;
  /** Its names in earlier versions: they are still understood, and no help names them. */
  readonly former?: { readonly option: string; readonly key?: string };
  /** What it does, in a line of Markdown: for `--help`, for editors and for docs/cli.md. */
  readonly describe: string;
  /** What stands for its value in docs/cli.md, such as `FILE`. */
  readonly value?: string;
  /** What holds if it is not given, as docs/cli.md writes it. */
  readonly default?: string;
  /** What docs/cli.md says of it where that is more. */
  readonly doc?: string;
  /** Whether each site has its own, so that it cannot stand in a file's `defaults`. */
  readonly ofSite: boolean;
  /** Whether it holds for all sites together, so that only a file's `defaults` can have it. */
  readonly ofRun?: true;
  readonly isRequired: boolean;
  /** Whether no message has its value. */
  readonly isSecret?: true;
  /** Whether it is accepted from scripts and files of earlier versions, and has no effect: no help names it. */
  readonly isDeprecated: boolean;
}

/** A setting for each property of the options that it stands for; the keys are those of a file. */
export type SettingTable<T> = { readonly [K in keyof T]-?: Setting<Exclude<T[K], undefined>> };

/** What a table's settings come to, each of which may be left out. */
export type SettingsOf<Table> = { readonly [K in keyof Table]?: Table[K] extends Setting<infer T> ? T : never };

/**
 * A row of a table: not required, and what a file's `defaults` may have, unless `more` says otherwise.
 *
 * @param usage - the option's name, and what stands for its value, as `state DIR`
 */
export function settingRow<T>(
  usage: string,
  kind: SettingKind<T>,
  describe: string,
  more: Partial<Setting<T>> = {},
): Setting<T> {
  const [option = "", value] = usage.split(" ");
  return {
    option,
    ...(value === undefined ? {} : { value }),
    kind,
    describe,
    ofSite: false,
    isRequired: false,
    isDeprecated: false,
    ...more,
  };
}

/** What `--help` says of a setting: what it does and, in brackets, its default and whether it may be repeated. */
export function helpOf({ describe, default: usual, kind }: Setting): string {
  const notes = [
    ...(usual === undefined ? [] : [usual.startsWith("required") ? usual : `default: ${usual}`]),
    ...(kind.form === "values" ? ["repeatable"] : []),
  ];
  return (notes.length === 0 ? describe : `${describe} (${notes.join("; ")})`).replaceAll("`", "");
}

/** How a setting is written on the command line: `--port N`, `--openmetrics [FILE]`, `--json`. */
export function signatureOf({ option, value = "VALUE", kind }: Setting, name = `--${option}`): string {
  if (kind.form === "flag") return name;
  return `${name} ${kind.whenAlone === undefined ? value : `[${value}]`}`;
}
