import { path, settingRow as row, type SettingTable, siteUrl, timeSpan } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type Command, openMetricsOption } from "../terminal/command.ts";
import { type RawArguments, readSettings } from "../terminal/option.ts";
import type { StatusArguments } from "./status-run.ts";

const settings: SettingTable<StatusArguments> = {
  configFile: row("config FILE", path, "The sites of this configuration file", {
    doc: "the sites of a configuration file",
  }),
  site: row("site URL", siteUrl, "Only this site of --config, by its base URL", {
    default: "all",
    doc: "only this site of the file",
  }),
  baseUrl: row("base-url URL", siteUrl, "The site, where there is no configuration file", {
    doc: "the site, where there is no file",
  }),
  stateDir: row("state DIR", path, "State folder of the site", {
    default: "`~/.local/state/tidemark/HOST`, or `/var/lib/tidemark/HOST` if only that is there",
    doc: "state folder",
  }),
  docroot: row("docroot DIR", path, "Document root to hold against the state", { default: "that of the last run" }),
  maxAgeMs: row("max-age SPAN", timeSpan, "How old the last run that ended well may be, such as 90m, 26h or 8d", {
    default: "`26h`",
    doc: "how old the last run that ended well may be: `90s`, `30m`, `26h`, `8d`, `2w`",
  }),
  openMetricsFile: openMetricsOption,
};

function planStatus(args: RawArguments): StatusArguments {
  const options = readSettings(args, settings);
  const { configFile, site, baseUrl, stateDir, docroot } = options;
  const fail = (message: string): never => {
    throw new TidemarkError("bad-option", message, { hint: "See `tidemark status --help`." });
  };
  if (configFile === undefined && baseUrl === undefined && stateDir === undefined) {
    fail("It is not said which site: --config, --base-url or --state is missing.");
  }
  if (configFile !== undefined && (baseUrl ?? stateDir ?? docroot) !== undefined) {
    fail("--config and --base-url, --state or --docroot exclude each other.");
  }
  if (configFile === undefined && site !== undefined) fail("--site picks a site of --config, which is missing.");
  if (options.openMetricsFile === "-" && args.json === true)
    fail("--json and --openmetrics without a file exclude each other.");
  return options;
}

/** `tidemark status` */
export const statusCommand: Command = {
  usage: "status",
  describe: "Say what was published when, what changed by day, and whether all is well",
  positionals: {},
  options: settings,
  examples: [
    ["status --base-url https://example.org/", "how it stands; exit code 0, 7 (warning) or 8 (critical)"],
    ["status --config /etc/tidemark.json --quiet", "the exit code only, for monitoring"],
    ["status --config /etc/tidemark.json --openmetrics tidemark.prom", "for node_exporter's textfile folder"],
  ],
  plan: (args) => {
    const options = planStatus(args);
    return async (context) => (await import("./status-run.ts")).runStatus(options, context);
  },
};
