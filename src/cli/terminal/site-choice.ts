import type { Setting } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type ExportSettings, exportSettings, readExportConfiguration } from "../../exporter/index.ts";

/** Which sites are meant, and what the command line says of them. */
export interface SiteChoice {
  readonly settings: Partial<ExportSettings>;
  readonly configFile?: string;
  readonly site?: string;
}

/**
 * The sites that a command line means, those of a file with the command line's settings before the file's.
 *
 * @throws TidemarkError `bad-option`, and what reading the file throws
 */
export async function findSites({ settings, configFile, site }: SiteChoice): Promise<ExportSettings[]> {
  if (configFile === undefined) return [settings as ExportSettings];
  const wanted = site === undefined ? [] : [site];
  const sites = pickSites(await readExportConfiguration(configFile), ({ baseUrl }) => baseUrl, wanted, configFile);
  if (sites.length > 1) refuseForSeveral(settings, sites.length);
  return sites.map((one) => ({ ...one, ...settings }));
}

/**
 * The sites of a file that are meant, in the file's order: all of them if none is named.
 *
 * @param urls - any URLs of the sites
 * @throws TidemarkError `bad-option` if the file has not all of them
 */
export function pickSites<T>(sites: T[], addressOf: (site: T) => string, urls: readonly string[], file: string): T[] {
  if (urls.length === 0) return sites;
  const originOf = (site: T): string => new URL(addressOf(site)).origin;
  const known = new Set(sites.map(originOf));
  const lacking = urls.find((url) => !known.has(new URL(url).origin));
  if (lacking !== undefined) {
    const shown = sites.slice(0, 5).map(addressOf);
    throw new TidemarkError("bad-option", `${file} has no site ${lacking}.`, {
      hint: `It has ${shown.join(", ")}${sites.length > shown.length ? ", ..." : ""}`,
    });
  }
  const wanted = new Set(urls.map((url) => new URL(url).origin));
  return sites.filter((site) => wanted.has(originOf(site)));
}

function refuseForSeveral(settings: Partial<ExportSettings>, count: number): void {
  const rows: Readonly<Record<string, Setting>> = exportSettings;
  for (const key of Object.keys(settings)) {
    const row = rows[key];
    if (row?.ofSite !== true) continue;
    const name = row.option === "docroot" ? "docroot" : `--${row.option}`;
    throw new TidemarkError("bad-option", `${name} applies to one site, but the configuration has ${count}.`, {
      hint: "Pick one with --site URL.",
    });
  }
}
