import type { ZodType } from "zod";
import { excerpt, hideLogins, TidemarkError } from "../core/index.ts";
import { parseJsonDocument } from "./json-document.ts";
import { nearestWord } from "./nearest-word.ts";
import { helpOf, type Setting, type SettingTable } from "./setting.ts";
import type { Zod } from "./setting-kind.ts";

/** More bytes has no configuration. */
export const maxConfigurationBytes: number = 4 * 1024 * 1024;
const mistakesTold = 20;

/** A configuration file as it was read. */
export interface ConfigurationText {
  /** Its absolute path. */
  readonly file: string;
  /** Its bytes, one more than {@link maxConfigurationBytes} at most. */
  readonly bytes: Uint8Array;
  /** Makes a path absolute that the file gives. */
  readonly resolvePath: (path: string) => string;
}

/** What a configuration may hold, and what else must hold of it. */
export interface ConfigurationForm<T> {
  readonly table: SettingTable<T>;
  /** The JSON Schema's file in the package. */
  readonly schema: string;
  /** What holds of each site before what the file says. */
  readonly given?: Partial<T>;
  /** What of the sites does not go together. */
  readonly findMistakes: (sites: readonly T[]) => readonly Mistake[];
}

/**
 * Reads a configuration: several sites and what they have in common. See docs/cli.md.
 *
 * @returns the settings of each site, in the file's order: defaults applied, the file's paths absolute
 * @throws TidemarkError `bad-option` with every mistake and its place
 */
export async function parseConfiguration<T extends object>(
  { file, bytes, resolvePath }: ConfigurationText,
  form: ConfigurationForm<T>,
): Promise<T[]> {
  const { table, schema, given = {}, findMistakes } = form;
  const document = await parseJsonDocument(decodeText(file, schema, bytes));
  if (!document.ok) throw refuse(file, schema, [document.error.message]);
  const { value, positionOf } = document.value;
  const checked = await checkConfiguration(table, value);
  const sites = checked.ok
    ? checked.value.sites.map((site) => ({
        ...complete(table, { ...checked.value.defaults, ...site }, resolvePath),
        ...given,
      }))
    : [];
  const mistakes = checked.ok ? findMistakes(sites) : checked.mistakes;
  if (mistakes.length === 0) return sites;
  const placed = mistakes.map((mistake) => ({ ...mistake, at: positionOf(mistake.path) }));
  placed.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  throw refuse(
    file,
    schema,
    placed.map(({ at, place, message }) => `line ${at.line}: ${place === "" ? "the whole" : place}: ${message}`),
  );
}

/** A mistake of one key of a site. */
export function siteMistake(at: number, key: string, message: string): Mistake {
  return { path: ["sites", at, key], place: `sites[${at}].${key}`, message };
}

/** What is wrong with the addresses of sites: those that are no origins, and those that stand twice. */
export function findAddressMistakes(key: string, addresses: readonly string[], mayBeFolders = false): Mistake[] {
  const mistakes: Mistake[] = [];
  const origins = new Map<string, number>();
  for (const [at, address] of addresses.entries()) {
    const { origin, href, pathname } = new URL(address);
    const isFolder = mayBeFolders && pathname.endsWith("/") && !/[?#]/.test(href);
    if (href !== `${origin}/` && !isFolder)
      mistakes.push(siteMistake(at, key, `must be an origin without a path, such as ${origin}/`));
    const same = origins.get(origin);
    if (same !== undefined) mistakes.push(siteMistake(at, key, `is that of sites[${same}] already`));
    else origins.set(origin, at);
  }
  return mistakes;
}

function decodeText(file: string, schema: string, bytes: Uint8Array): string {
  if (bytes.length > maxConfigurationBytes) throw refuse(file, schema, [`more than ${maxConfigurationBytes} bytes`]);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse(file, schema, ["it is not UTF-8"]);
  }
}

function complete<T extends object>(table: SettingTable<T>, settings: T, resolvePath: (path: string) => string): T {
  const rows = table as Readonly<Record<string, Setting>>;
  const entries = Object.entries(settings).map(([key, value]) => {
    return [key, rows[key]?.kind.completePaths?.(value, resolvePath) ?? value] as const;
  });
  return Object.fromEntries(entries) as T;
}

function refuse(file: string, schema: string, lines: readonly string[]): TidemarkError {
  const told = lines.slice(0, mistakesTold);
  const more = lines.length > told.length ? [`and ${lines.length - told.length} more`] : [];
  const message =
    lines.length === 1 ? `${file}: ${lines[0]}` : [`${file}: ${lines.length} mistakes`, ...told, ...more].join("\n  ");
  return new TidemarkError("bad-option", message, {
    hint: `docs/cli.md and ${schema} of the package say what a configuration may hold.`,
    details: { file, mistakes: told },
  });
}

/** A configuration as a file has it, before defaults are applied. */
interface Document<T> {
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
type Configuration<T> =
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
      if (setting.ofRun !== true) site[key] = setting.isRequired ? value : value.optional();
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
    if (issue.code !== "unrecognized_keys")
      return [
        mistake(path, isSecret(table, path) ? issue.message : describeValue(issue.message, valueAt(value, path))),
      ];
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

function isSecret(table: object, path: ReadonlyArray<string | number>): boolean {
  return rowsOf(table).some(
    ([property, row]) => row.isSecret && keysOf(property, row).some((key) => path.includes(key)),
  );
}

function describeValue(message: string, value: unknown): string {
  if (value === undefined) return "is missing";
  return `${message}, not ${excerpt(hideLogins(JSON.stringify(value)), 60)
    .slice(1, -1)
    .replaceAll('\\"', '"')}`;
}

function describeKey(table: object, path: ReadonlyArray<string | number>, key: string): string {
  const rows = rowsOf(table).map(([property, setting]) => [setting.key ?? property, setting] as const);
  const isTop = path.length === 0;
  const row = rows.find(([name, setting]) => name === key || setting.option === key);
  if (!isTop && row !== undefined && row[0] === key)
    return path[0] === "defaults" ? "belongs to a site, not to the defaults" : "belongs to the defaults, not to a site";
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
