import { TidemarkError } from "../core/index.ts";
import { checkConfiguration, type Mistake } from "./configuration.ts";
import { parseJsonDocument } from "./json-document.ts";
import type { Setting, SettingTable } from "./setting.ts";

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
export function findAddressMistakes(key: string, addresses: readonly string[]): Mistake[] {
  const mistakes: Mistake[] = [];
  const origins = new Map<string, number>();
  for (const [at, address] of addresses.entries()) {
    const { origin, href } = new URL(address);
    if (href !== `${origin}/`)
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
