import { type ExportSettings, exportSettings } from "../export-settings.ts";
import { TidemarkError } from "../model/index.ts";
import { type Command, valueOption } from "./command.ts";
import { flagOption, type RawArguments, siteUrl, textOption } from "./option.ts";
import { optionsOfSettings, readSettings } from "./setting-option.ts";

/** What the command line says about an export. */
export interface ExportArguments {
  /** What is said here goes before what the file says. */
  readonly settings: Partial<ExportSettings>;
  readonly configFile: string | undefined;
  /** Which site of the file. */
  readonly site: string | undefined;
  readonly dryRun: boolean;
}

function planExport(args: RawArguments): ExportArguments {
  const settings = readSettings<ExportSettings>(args, exportSettings);
  const configFile = textOption(args, "config");
  const site = textOption(args, "site");
  const hint = "See `tidemark export --help`.";
  if (configFile === undefined) {
    if (settings.docroot === undefined) throw new TidemarkError("bad-option", "docroot is missing.", { hint });
    if (settings.baseUrl === undefined) throw new TidemarkError("bad-option", "--base-url is missing.", { hint });
    if (site !== undefined) {
      throw new TidemarkError("bad-option", "--site picks a site of a configuration, and --config is missing.", {
        hint,
      });
    }
  }
  if (site !== undefined) siteUrl(site, "--site");
  return { settings, configFile, site, dryRun: flagOption(args, "dry-run") };
}

/** `tidemark export` */
export const exportCommand: Command = {
  usage: "export [docroot]",
  describe: "Publish what a folder of pages holds, and what changed since the last time",
  positionals: { docroot: exportSettings.docroot.describe },
  options: {
    config: valueOption("File of sites and their settings (JSON); options given beside it go before it"),
    site: valueOption("Only this site of --config, by its base URL"),
    ...optionsOfSettings(exportSettings, ["docroot"]),
    "dry-run": { type: "boolean", describe: "Write nothing; show what would become public and what not" },
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
    ["export --config /etc/tidemark.json", "publish all sites of a file; `tidemark init` writes one"],
  ],
  plan: (args) => {
    const options = planExport(args);
    return async (context) => (await import("./export-run.ts")).runExport(options, context);
  },
};
