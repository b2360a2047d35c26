import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { checkConfiguration, type Mistake } from "./configuration.ts";
import { parseJsonDocument } from "./json-document.ts";
import type { Setting, SettingTable } from "./setting.ts";

const maxConfigurationBytes = 4 * 1024 * 1024;
const mistakesTold = 20;

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
 * Reads a configuration file: several sites and what they have in common. See docs/cli.md.
 *
 * @returns the settings of each site, in the file's order: defaults applied, the file's paths absolute
 * @throws TidemarkError `bad-option` with every mistake and its place; `not-found`, `no-permission`
 */
export async function readConfiguration<T extends object>(file: string, form: ConfigurationForm<T>): Promise<T[]> {
  const { table, schema, given = {}, findMistakes } = form;
  const full = resolve(file);
  const document = await parseJsonDocument(await readText(full, schema));
  if (!document.ok) throw refuse(full, schema, [document.error.message]);
  const { value, positionOf } = document.value;
  const checked = await checkConfiguration(table, value);
  const sites = checked.ok
    ? checked.value.sites.map((site) => ({
        ...complete(table, { ...checked.value.defaults, ...site }, dirname(full)),
        ...given,
      }))
    : [];
  const mistakes = checked.ok ? findMistakes(sites) : checked.mistakes;
  if (mistakes.length === 0) return sites;
  const placed = mistakes.map((mistake) => ({ ...mistake, at: positionOf(mistake.path) }));
  placed.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  throw refuse(
    full,
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

async function readText(file: string, schema: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    const handle = await open(file);
    try {
      // A device or a pipe has no size: what is read is bounded, not what it says of itself.
      const buffer = Buffer.alloc(maxConfigurationBytes + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
        length += bytesRead;
        if (bytesRead === 0 || length === buffer.length) break;
      }
      bytes = buffer.subarray(0, length);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw wrapSystemError(error, `read the configuration ${file}`, { file });
  }
  if (bytes.length > maxConfigurationBytes) throw refuse(file, schema, [`more than ${maxConfigurationBytes} bytes`]);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse(file, schema, ["it is not UTF-8"]);
  }
}

function complete<T extends object>(table: SettingTable<T>, settings: T, folder: string): T {
  const rows = table as Readonly<Record<string, Setting>>;
  const entries = Object.entries(settings).map(([key, value]) => {
    return [key, rows[key]?.kind.completePaths?.(value, (path) => resolve(folder, path)) ?? value] as const;
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
