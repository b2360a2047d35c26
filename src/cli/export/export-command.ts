import {
  choice,
  flag,
  path,
  settingRow as row,
  type SettingTable,
  siteUrl,
  text,
  timeSpan,
} from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { exportSettings } from "../../exporter/index.ts";
import { type Command, defineCommand } from "../terminal/command.ts";
import { type RawArguments, readSettings } from "../terminal/option.ts";
import type { ExportArguments, ExportRun } from "./export-run.ts";

const { docroot: docrootSetting, ...siteSettings } = exportSettings;

const choiceSettings = {
  configFile: row("config FILE", path, "JSON file of sites and their settings; other options override it", {
    doc: "export the sites of [a configuration file](#configuration-file)",
  }),
  site: row("site URL", siteUrl, "Only this site of --config, by its base URL", { default: "all" }),
};

const runSettings: SettingTable<ExportRun> = {
  dryRun: row("dry-run", flag, "Write nothing; print what would become public, what is held back, and by which rule"),
  watch: row("watch", flag, "Keep running until a signal, and publish changes as they happen"),
  settleMs: row(
    "settle DURATION",
    timeSpan,
    "With `--watch`: publish when nothing has changed for this long, and after ten times as long in any case",
    { default: "`30s`" },
  ),
  rescanMs: row("rescan DURATION", timeSpan, "With `--watch`: scan all files this often", {
    default: "`24h`",
  }),
  onPublish: row(
    "on-publish COMMAND",
    text,
    "Run this shell command after a publication, with its changes and the summary as JSON lines on standard input",
    {
      doc: "run this shell command [after a publication](#caches-and-commands), with its changes and the summary as JSON lines on standard input",
    },
  ),
  onPublishTimeoutMs: row("on-publish-timeout DURATION", timeSpan, "Time after which --on-publish is ended", {
    default: "`5m`",
  }),
  purge: row(
    "purge FORMAT",
    choice("urls", "json"),
    "List the URLs that a publication changed, for a cache: urls (a URL a line), or json (a line per call of 30)",
    {
      doc: 'list the URLs that a publication changed, for [a cache](#caches-and-commands): `urls`, a URL a line, or `json`, a line `{"files":[...]}` per 30 URLs',
    },
  ),
  purgeFile: row("purge-file FILE", path, "With `--purge`: write the URLs to this file, which is replaced as a whole", {
    default: "standard output; results for people then go to stderr",
  }),
  indexNow: row("index-now", flag, "Submit changed URLs to search engines by IndexNow (https://www.indexnow.org/)"),
  indexNowEndpoint: row("index-now-endpoint URL", text, "URL that receives the submissions of --index-now", {
    default: "`https://api.indexnow.org/indexnow`",
  }),
  indexNowAll: row(
    "index-now-all",
    flag,
    "Submit all URLs on the first run, also deleted ones that the archives still list",
  ),
};

function planRun(args: RawArguments): ExportRun {
  const run = readSettings(args, runSettings);
  const needs = (key: keyof ExportRun, keys: ReadonlyArray<keyof ExportRun>): void => {
    const given = keys.find((one) => run[one] !== undefined);
    if (given === undefined || run[key] !== undefined) return;
    const [missing, useless] = [runSettings[key].option, runSettings[given].option];
    throw new TidemarkError("bad-option", `--${useless} has no effect without --${missing}.`, {
      hint: `Add --${missing}, or leave --${useless} out.`,
    });
  };
  needs("onPublish", ["onPublishTimeoutMs"]);
  needs("purge", ["purgeFile"]);
  if (run.purge !== undefined && run.purgeFile === undefined && args.json === true)
    throw new TidemarkError("bad-option", "--purge and --json both print on standard output.", {
      hint: "Give --purge a file with --purge-file.",
    });
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
  describe: "Publish the pages of a folder, and what changed since the last run",
  positionals: { docroot: docrootSetting.describe },
  options: { ...choiceSettings, ...siteSettings, ...runSettings },
  groups: {
    Site: ["base-url", "state", "previous", "previous-optional", "config", "site"],
    Run: ["dry-run", "watch", "settle", "rescan", "io-limit", "digest", "allow-empty", "allow-fewer-lists"],
    "Which files": ["include", "exclude", "noindex-pages", "folder-links"],
    "URLs of files": ["index", "clean-urls", "map"],
    "Pages from lists and from the server": [
      ...["urls", "urls-format", "sitemap-from"],
      ...["probe", "probe-budget", "probe-delay", "probe-concurrency"],
    ],
    "What counts as a change": ["ssi", "ignore", "significant"],
    "What is published": [
      ...["segment-size", "min-group", "sitemap", "resourcesync", "change-dumps", "resource-dump", "feed"],
      ...["robots-dir", "server-user"],
    ],
    "After a publication": ["on-publish", "on-publish-timeout", "purge", "purge-file"],
    "Search engines": ["index-now", "index-now-key", "index-now-endpoint", "index-now-all"],
  },
  examples: [
    ["export /var/www/html --base-url https://example.org/", "publish the site"],
    ["export /var/www/html --base-url https://example.org/ --dry-run", "see first what would be published"],
    ["export /var/www/html --base-url https://example.org/ --watch", "publish changes as they happen"],
    ["export . --base-url https://example.org/ --exclude 'drafts/**'", "leave a folder out"],
    [
      "export . --base-url https://example.org/ --include '**' --include '**/*.bin'",
      "also publish files of an unknown type",
    ],
    [
      "export . --base-url https://example.org/ --sitemap-from https://example.org/cms.xml",
      "also publish the pages of a CMS",
    ],
    ["export . --base-url https://example.org/ --ignore '/built at [^<]*/'", "a new build stamp is not a change"],
    [
      "export dist --base-url https://example.org/ --previous https://example.org/",
      "on a machine without state: go on from what the site publishes",
    ],
    [
      "export . --base-url https://example.org/ --purge urls | xargs -r -d '\\n' -n1 curl -X PURGE",
      "have a cache forget what changed",
    ],
    ["export . --base-url https://example.org/ --on-publish ./deployed.sh", "run a script after a publication"],
    ["export --config /etc/tidemark.json", "publish all sites of a file; `tidemark init` writes one"],
  ],
  isPaged: (args) => args["dry-run"] === true,
  plan: (_, args, fail): ExportArguments => {
    const settings = readSettings(args, exportSettings);
    const choice = readSettings(args, choiceSettings);
    if (choice.configFile === undefined) {
      if (settings.docroot === undefined) fail("docroot is missing.");
      if (settings.baseUrl === undefined) fail("--base-url is missing.");
      if (choice.site !== undefined) fail("--site selects a site of a configuration file, and --config is missing.");
    }
    return { ...choice, settings, run: planRun(args) };
  },
  load: async ({ run }) =>
    run.watch ? (await import("./watch-run.ts")).runWatch : (await import("./export-run.ts")).runExport,
});
