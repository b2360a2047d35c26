import { flag, path, settingRow as row, type SettingTable, siteUrl, text, timeSpan } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { exportSettings } from "../../exporter/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { type RawArguments, readSettings } from "../terminal/option.ts";
import type { ExportArguments, ExportRun } from "./export-run.ts";

const { docroot: docrootSetting, ...siteSettings } = exportSettings;

const choiceSettings = {
  configFile: row(
    "config FILE",
    path,
    "File of sites and their settings (JSON); options given beside it go before it",
    { doc: "export the sites of [a configuration file](#configuration-file)" },
  ),
  site: row("site URL", siteUrl, "Only this site of --config, by its base URL", { default: "all" }),
};

const runSettings: SettingTable<ExportRun> = {
  dryRun: row("dry-run", flag, "Write nothing; print what would become public, and what is held back by which rule"),
  watch: row("watch", flag, "Go on until a signal: publish what changes, as it changes"),
  settleMs: row(
    "settle DURATION",
    timeSpan,
    "With `--watch`: publish when nothing has changed for so long, at the latest after ten times that",
    { default: "`30s`" },
  ),
  rescanMs: row("rescan DURATION", timeSpan, "With `--watch`: look at everything so often", {
    default: "`24h`",
  }),
  indexNow: row("index-now", flag, "Tell search engines by IndexNow (https://www.indexnow.org/) what changed"),
  indexNowEndpoint: row("index-now-endpoint URL", text, "Where IndexNow is told", {
    default: "`https://api.indexnow.org/indexnow`",
  }),
  indexNowAll: row(
    "index-now-all",
    flag,
    "Submit all URLs on the first run, deleted ones that the archives still list too",
  ),
};

function planRun(args: RawArguments): ExportRun {
  const run = readSettings(args, runSettings);
  const needs = (key: keyof ExportRun, keys: ReadonlyArray<keyof ExportRun>): void => {
    const given = keys.find((one) => run[one] !== undefined);
    if (given === undefined || run[key] !== undefined) return;
    const [missing, useless] = [runSettings[key].option, runSettings[given].option];
    throw new TidemarkError("bad-option", `--${useless} says nothing without --${missing}.`, {
      hint: `Add --${missing}, or leave --${useless} out.`,
    });
  };
  needs("watch", ["settleMs", "rescanMs"]);
  needs("indexNow", ["indexNowEndpoint", "indexNowAll"]);
  if (run.watch && run.dryRun) {
    throw new TidemarkError("bad-option", "A watch cannot be a dry run.", { hint: "Leave --watch or --dry-run out." });
  }
  return run;
}

/** `tidemark export` */
export const exportCommand: Command = defineCommand({
  usage: "export [docroot]",
  describe: "Publish what a folder of pages holds, and what changed since the last time",
  positionals: { docroot: docrootSetting.describe },
  options: { ...choiceSettings, ...siteSettings, ...runSettings },
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
  plan: (_, args, fail): ExportArguments => {
    const settings = readSettings(args, exportSettings);
    const choice = readSettings(args, choiceSettings);
    if (choice.configFile === undefined) {
      if (settings.docroot === undefined) fail("docroot is missing.");
      if (settings.baseUrl === undefined) fail("--base-url is missing.");
      if (choice.site !== undefined) fail("--site picks a site of a configuration, and --config is missing.");
    }
    return { ...choice, settings, run: planRun(args) };
  },
  load: async ({ run }) =>
    run.watch ? (await import("./watch-run.ts")).runWatch : (await import("./export-run.ts")).runExport,
});
