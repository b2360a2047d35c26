import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type ExportSettings, exportSettings } from "./export-settings.ts";
import { TidemarkError, wrapSystemError } from "./model/index.ts";
import { checkConfiguration, type Mistake, parseJsonDocument, type Setting } from "./settings/index.ts";
import { defaultStateDir } from "./state-folder.ts";

const maxConfigurationBytes = 4 * 1024 * 1024;
const mistakesTold = 20;

/**
 * Reads a configuration file: several sites and what they have in common. See docs/cli.md.
 *
 * @returns the settings of each site, in the file's order: defaults applied, paths absolute
 * @throws TidemarkError `bad-option` with every mistake and its place; `not-found`, `no-permission`
 */
export async function readExportConfiguration(file: string): Promise<ExportSettings[]> {
  const full = resolve(file);
  const document = parseJsonDocument(await readText(full));
  if (!document.ok) throw refuse(full, [document.error.message]);
  const { value, positionOf } = document.value;
  const checked = await checkConfiguration(exportSettings, value);
  const sites = checked.ok
    ? checked.value.sites.map((site) => complete({ ...checked.value.defaults, ...site }, dirname(full)))
    : [];
  const mistakes = checked.ok ? findClashes(sites) : checked.mistakes;
  if (mistakes.length === 0) return sites;
  const placed = mistakes.map((mistake) => ({ ...mistake, at: positionOf(mistake.path) }));
  placed.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  throw refuse(
    full,
    placed.map(({ at, place, message }) => `line ${at.line}: ${place === "" ? "the whole" : place}: ${message}`),
  );
}

async function readText(file: string): Promise<string> {
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
  if (bytes.length > maxConfigurationBytes) throw refuse(file, [`more than ${maxConfigurationBytes} bytes`]);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refuse(file, ["it is not UTF-8"]);
  }
}

function complete(settings: ExportSettings, folder: string): ExportSettings {
  const rows: Readonly<Record<string, Setting>> = exportSettings;
  const entries = Object.entries(settings).map(([key, value]) => {
    return [key, rows[key]?.kind.completePaths?.(value, (path) => resolve(folder, path)) ?? value] as const;
  });
  return Object.fromEntries(entries) as unknown as ExportSettings;
}

function findClashes(sites: readonly ExportSettings[]): Mistake[] {
  const mistakes: Mistake[] = [];
  const origins = new Map<string, number>();
  const stateDirs = new Map<string, number>();
  const add = (at: number, key: string, message: string) =>
    mistakes.push({ path: ["sites", at, key], place: `sites[${at}].${key}`, message });
  for (const [at, { baseUrl, stateDir }] of sites.entries()) {
    const { origin, href } = new URL(baseUrl);
    if (href !== `${origin}/`) add(at, "baseUrl", `must be an origin without a path, such as ${origin}/`);
    const sameOrigin = origins.get(origin);
    if (sameOrigin !== undefined) add(at, "baseUrl", `is that of sites[${sameOrigin}] already`);
    else origins.set(origin, at);
    const folder = stateDir ?? defaultStateDir(`${origin}/`);
    const sameFolder = stateDirs.get(folder);
    if (sameFolder === undefined) stateDirs.set(folder, at);
    else if (sameOrigin === undefined) add(at, "stateDir", `is the folder of sites[${sameFolder}] already`);
  }
  return mistakes;
}

function refuse(file: string, lines: readonly string[]): TidemarkError {
  const told = lines.slice(0, mistakesTold);
  const more = lines.length > told.length ? [`and ${lines.length - told.length} more`] : [];
  const message =
    lines.length === 1 ? `${file}: ${lines[0]}` : [`${file}: ${lines.length} mistakes`, ...told, ...more].join("\n  ");
  return new TidemarkError("bad-option", message, {
    hint: "docs/cli.md and docs/tidemark.schema.json of the package say what a configuration may hold.",
    details: { file, mistakes: told },
  });
}
