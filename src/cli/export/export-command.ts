import { TidemarkError } from "../../core/index.ts";
import { type ExportSettings, exportSettings } from "../../exporter/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { durationOption, flagOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import { optionsOfSettings, readSettings } from "../terminal/setting-option.ts";
import type { ExportArguments, ExportRun } from "./export-arguments.ts";

const watchOptions = ["settle", "rescan"] as const;
const indexNowOptions = ["index-now-endpoint", "index-now-all"] as const;

function planRun(args: RawArguments): ExportRun {
  const needs = (switchName: string, names: readonly string[]): void => {
    const given = names.find((name) => args[name] !== undefined && args[name] !== false);
    if (given === undefined || flagOption(args, switchName)) return;
    throw new TidemarkError("bad-option", `--${given} says nothing without --${switchName}.`, {
      hint: `Add --${switchName}, or leave --${given} out.`,
    });
  };
  needs("watch", watchOptions);
  needs("index-now", indexNowOptions);
  if (flagOption(args, "watch") && flagOption(args, "dry-run")) {
    throw new TidemarkError("bad-option", "A watch cannot be a dry run.", { hint: "Leave --watch or --dry-run out." });
  }
  return {
    watch: flagOption(args, "watch"),
    settleMs: durationOption(args, "settle"),
    rescanMs: durationOption(args, "rescan"),
    indexNow: flagOption(args, "index-now"),
    indexNowEndpoint: textOption(args, "index-now-endpoint"),
    indexNowAll: flagOption(args, "index-now-all"),
  };
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
    watch: { type: "boolean", describe: "Go on: publish what changes, as it changes" },
    settle: valueOption("With --watch: publish when nothing has changed for so long (30s)"),
    rescan: valueOption("With --watch: look at everything so often (24h)"),
    "index-now": { type: "boolean", describe: "Tell search engines by IndexNow what changed" },
    "index-now-endpoint": valueOption("Where IndexNow is told (https://api.indexnow.org/indexnow)"),
    "index-now-all": { type: "boolean", describe: "Submit all URLs on the first run" },
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export /var/www/html --base-url https://example.org/ --watch", "publish changes as they happen"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
    ["export . --base-url https://example.org/ --include '**' --include '**/*.bin'", "publish an unknown type too"],
    [
      "export . --base-url https://example.org/ --sitemap-from https://example.org/cms.xml",
      "publish a CMS's pages too",
    ],
    ["export . --base-url https://example.org/ --ignore '/built at [^<]*/'", "do not take a new build for new pages"],
    ["export --config /etc/tidemark.json", "publish all sites of a file; `tidemark init` writes one"],
  ],
  plan: (args) => {
    const options = planExport(args);
    const run = planRun(args);
    if (run.watch) return async (context) => (await import("./watch-run.ts")).runWatch(options, run, context);
    return async (context) => (await import("./export-run.ts")).runExport(options, run, context);
  },
};
