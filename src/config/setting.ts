import type { SettingKind } from "./setting-kind.ts";

/** One setting: an option of the command line and a key of a configuration file. */
export interface Setting<T = unknown> {
  /** Its name on the command line, without dashes. */
  readonly option: string;
  readonly kind: SettingKind<T>;
  /** What it does, for `--help` and for editors; the default in brackets. */
  readonly describe: string;
  /** Whether each site has its own, so that it cannot stand in a file's `defaults`. */
  readonly ofSite: boolean;
  readonly isRequired: boolean;
  /** Whether it is accepted from scripts and files of earlier versions, and has no effect: no help names it. */
  readonly isDeprecated: boolean;
}

/** A setting for each property of the options that it stands for; the keys are those of a file. */
export type SettingTable<T> = { readonly [K in keyof T]-?: Setting<Exclude<T[K], undefined>> };

/** A row of a table: not required, and what a file's `defaults` may have, unless `more` says otherwise. */
export function settingRow<T>(
  option: string,
  kind: SettingKind<T>,
  describe: string,
  more: Partial<Setting<T>> = {},
): Setting<T> {
  return { option, kind, describe, ofSite: false, isRequired: false, isDeprecated: false, ...more };
}
