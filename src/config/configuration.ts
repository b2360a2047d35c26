import type { ZodType } from "zod";
import { excerpt } from "../core/index.ts";
import { nearestWord } from "./nearest-word.ts";
import { helpOf, type Setting, type SettingTable } from "./setting.ts";
import type { Zod } from "./setting-kind.ts";

/** A configuration as a file has it, before defaults are applied. */
export interface Document<T> {
  readonly defaults: Partial<T>;
  readonly sites: readonly T[];
}

/** What is wrong with a configuration, and where. */
export interface Mistake {
  readonly path: ReadonlyArray<string | number>;
  /** Such as `sites[1].segmentSize`. */
  readonly place: string;
  /** Such as `must be a whole number from 1 to 65536, not "many"`. */
  readonly message: string;
}

/** A configuration that can be used, or all that is wrong with it. */
export type Configuration<T> =
  | { readonly ok: true; readonly value: Document<T> }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

const maxSites = 10_000;
const siteList = { error: "must be a list of sites, with one at least" };
const keyedObject = { error: "must be an object in braces" };

function rowsOf(table: object): ReadonlyArray<readonly [string, Setting]> {
  return Object.entries(table);
}

/** What a file may call a setting; what is in use comes first. */
function keysOf(property: string, { key = property, former }: Setting): readonly string[] {
  return former?.key === undefined ? [key] : [key, former.key];
}

/** Values by the keys of a file, as settings by the properties of their table. */
function toSettings<T>(table: object, given: object): T {
  const values = new Map<string, unknown>(Object.entries(given));
  const entries = rowsOf(table).flatMap(([property, setting]) => {
    const key = keysOf(property, setting).find((one) => values.has(one));
    return key === undefined ? [] : [[property, values.get(key)] as const];
  });
  return Object.fromEntries(entries) as T;
}

function toSchema(zod: Zod, table: object): ZodType {
  const describe = (setting: Setting): ZodType => {
    const description = helpOf({ ...setting, kind: { ...setting.kind, form: "value" } });
    return setting.kind.schema(zod).meta({ description, ...(setting.isDeprecated ? { deprecated: true } : {}) });
  };
  const site: Record<string, ZodType> = {};
  const defaults: Record<string, ZodType> = {};
  for (const [property, setting] of rowsOf(table)) {
    for (const key of keysOf(property, setting)) {
      const value = describe(key === setting.former?.key ? { ...setting, isDeprecated: true } : setting);
      site[key] = setting.isRequired ? value : value.optional();
      if (!setting.ofSite) defaults[key] = value.optional();
    }
  }
  return zod.strictObject(
    {
      $schema: zod.string({ error: "must be the address of a JSON Schema" }).optional(),
      defaults: zod
        .strictObject(defaults, keyedObject)
        .meta({ description: "What holds for each site that does not say otherwise" })
        .optional(),
      sites: zod
        .array(zod.strictObject(site, keyedObject), siteList)
        .min(1, siteList)
        .max(maxSites, siteList)
        .meta({ description: "The sites, each after the one before" }),
    },
    keyedObject,
  );
}

/**
 * Checks a configuration against a table of settings.
 *
 * @param value - what the file's JSON says
 */
export async function checkConfiguration<T>(table: SettingTable<T>, value: unknown): Promise<Configuration<T>> {
  const zod = await import("zod");
  const checked = toSchema(zod, table).safeParse(value);
  if (checked.success) {
    const { defaults = {}, sites } = checked.data as { defaults?: object; sites: object[] };
    const doubled = [
      ...findDoubled(table, ["defaults"], defaults),
      ...sites.flatMap((site, at) => findDoubled(table, ["sites", at], site)),
    ];
    if (doubled.length > 0) return { ok: false, mistakes: doubled };
    return {
      ok: true,
      value: { defaults: toSettings(table, defaults), sites: sites.map((site) => toSettings<T>(table, site)) },
    };
  }
  const mistakes = checked.error.issues.flatMap((issue): Mistake[] => {
    const path = issue.path.filter((step) => typeof step !== "symbol");
    if (issue.code !== "unrecognized_keys") return [mistake(path, describeValue(issue.message, valueAt(value, path)))];
    return issue.keys.map((key) => mistake([...path, key], describeKey(table, path, key)));
  });
  return { ok: false, mistakes };
}

/** The keys of earlier versions that stand beside the ones that took their place. */
function findDoubled(table: object, path: ReadonlyArray<string | number>, given: object): Mistake[] {
  return rowsOf(table).flatMap(([property, setting]) => {
    const [key = "", former] = keysOf(property, setting);
    if (former === undefined || !(key in given && former in given)) return [];
    return [mistake([...path, former], `is the former name of ${key}, which stands here too`)];
  });
}

function mistake(path: ReadonlyArray<string | number>, message: string): Mistake {
  const place = path.map((step, at) => {
    if (typeof step === "number") return `[${step}]`;
    const name = /^[A-Za-z_$][\w$-]{0,79}$/.test(step) ? step : excerpt(step);
    return at === 0 ? name : `.${name}`;
  });
  return { path, place: place.join(""), message };
}

function describeValue(message: string, value: unknown): string {
  if (value === undefined) return "is missing";
  return `${message}, not ${excerpt(JSON.stringify(value), 60).slice(1, -1).replaceAll('\\"', '"')}`;
}

function describeKey(table: object, path: ReadonlyArray<string | number>, key: string): string {
  const rows = rowsOf(table).map(([property, setting]) => [setting.key ?? property, setting] as const);
  const isTop = path.length === 0;
  const row = rows.find(([name, setting]) => name === key || setting.option === key);
  if (!isTop && row !== undefined && row[0] === key) return "belongs to a site, not to the defaults";
  if (isTop && row !== undefined) return `is no key here; it belongs to a site: sites[0].${row[0]}`;
  const known = isTop ? ["sites", "defaults", "$schema"] : rows.map(([name]) => name);
  const near = row?.[0] ?? nearestWord(key, known);
  return near === undefined ? `is no key here; there are ${known.join(", ")}` : `is no key here; did you mean ${near}?`;
}

function valueAt(value: unknown, path: ReadonlyArray<string | number>): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string | number, unknown>>)[step];
  }
  return at;
}

/** The JSON Schema (draft 7, which editors know best) of configurations, from the same source as their check. */
export async function formatConfigurationSchema(table: object, title: string): Promise<string> {
  const zod = await import("zod");
  const schema = zod.toJSONSchema(toSchema(zod, table), { target: "draft-7", io: "input" });
  return `${JSON.stringify({ title, ...schema }, undefined, 2)}\n`;
}
