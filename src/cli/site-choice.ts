import type { ExportSettings } from "../export-settings.ts";
import { exportSettings } from "../export-settings.ts";
import { TidemarkError } from "../model/index.ts";
import type { Setting } from "../settings/index.ts";

/** Which sites are meant, and what the command line says of them. */
export interface SiteChoice {
  readonly settings: Partial<ExportSettings>;
  readonly configFile: string | undefined;
  readonly site: string | undefined;
}

/**
 * The sites that a command line means, those of a file with the command line's settings before the file's.
 *
 * @throws TidemarkError `bad-option`, and what reading the file throws
 */
export async function findSites({ settings, configFile, site }: SiteChoice): Promise<ExportSettings[]> {
  if (configFile === undefined) return [settings as ExportSettings];
  const { readExportConfiguration } = await import("../export-configuration.ts");
  const sites = pick(await readExportConfiguration(configFile), site, configFile);
  if (sites.length > 1) refuseForSeveral(settings, sites.length);
  return sites.map((one) => ({ ...one, ...settings }));
}

function pick(sites: ExportSettings[], wanted: string | undefined, file: string): ExportSettings[] {
  if (wanted === undefined) return sites;
  const origin = new URL(wanted).origin;
  const found = sites.filter(({ baseUrl }) => new URL(baseUrl).origin === origin);
  if (found.length > 0) return found;
  const shown = sites.slice(0, 5).map(({ baseUrl }) => baseUrl);
  throw new TidemarkError("bad-option", `${file} has no site ${wanted}.`, {
    hint: `It has ${shown.join(", ")}${sites.length > shown.length ? ", ..." : ""}`,
  });
}

function refuseForSeveral(settings: Partial<ExportSettings>, count: number): void {
  const rows: Readonly<Record<string, Setting>> = exportSettings;
  for (const key of Object.keys(settings)) {
    const row = rows[key];
    if (row?.ofSite !== true) continue;
    const name = row.option === "docroot" ? "docroot" : `--${row.option}`;
    throw new TidemarkError("bad-option", `${name} is of one site, and the configuration has ${count}.`, {
      hint: "Pick one with --site URL.",
    });
  }
}
