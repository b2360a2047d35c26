import { dirname, resolve } from "node:path";
import type { Mistake } from "../config/index.ts";
import { findAddressMistakes, maxConfigurationBytes, parseConfiguration, siteMistake } from "../config/index.ts";
import { readAtMost } from "../fs/index.ts";
import { type ExportSettings, exportSettings } from "./export-settings.ts";
import { defaultStateDir } from "./state-folder.ts";

/**
 * Reads a configuration file for exports: sites and their common settings. See docs/cli.md.
 *
 * @returns the settings of each site in the order of the file, with defaults applied and absolute paths
 * @throws TidemarkError `bad-option` with every mistake and its position; `not-found`, `no-permission`
 */
export async function readExportConfiguration(file: string): Promise<ExportSettings[]> {
  const full = resolve(file);
  const bytes = await readAtMost(full, maxConfigurationBytes + 1, "the configuration");
  const resolvePath = (path: string): string => resolve(dirname(full), path);
  return await parseConfiguration(
    { file: full, bytes, resolvePath },
    {
      table: exportSettings,
      schema: "docs/tidemark.schema.json",
      findMistakes: (sites) => {
        const addresses = findAddressMistakes(
          "baseUrl",
          sites.map(({ baseUrl }) => baseUrl),
        );
        return [...addresses, ...findSharedStates(sites)];
      },
    },
  );
}

function findSharedStates(sites: readonly ExportSettings[]): Mistake[] {
  const mistakes: Mistake[] = [];
  const stateDirs = new Map<string, { readonly at: number; readonly origin: string }>();
  for (const [at, { baseUrl, stateDir }] of sites.entries()) {
    const { origin } = new URL(baseUrl);
    const folder = stateDir ?? defaultStateDir(`${origin}/`);
    const same = stateDirs.get(folder);
    if (same === undefined) stateDirs.set(folder, { at, origin });
    else if (same.origin !== origin)
      mistakes.push(siteMistake(at, "stateDir", `is the folder of sites[${same.at}] already`));
  }
  return mistakes;
}
