import { path, settingRow as row, siteUrl, timeSpan } from "../../config/index.ts";
import { type Command, defineCommand, openMetricsOption } from "../terminal/command.ts";

/** `tidemark status` */
export const statusCommand: Command = defineCommand({
  usage: "status",
  describe: "Show publications, changes by day, the last run and problems",
  positionals: {},
  options: {
    configFile: row("config FILE", path, "JSON file of sites and their settings, as of tidemark export"),
    site: row("site URL", siteUrl, "Only this site of --config, by its base URL", { default: "all" }),
    baseUrl: row("base-url URL", siteUrl, "The site's base URL, if there is no --config"),
    stateDir: row("state DIR", path, "State folder of the site's exports", {
      default: "`~/.local/state/tidemark/HOST`, or `/var/lib/tidemark/HOST` if only that exists",
    }),
    docroot: row("docroot DIR", path, "Document root whose published files are compared with the state", {
      default: "that of the last run",
    }),
    maxAgeMs: row(
      "max-age SPAN",
      timeSpan,
      "Longest time since the last successful run: `90s`, `30m`, `26h`, `8d`, `2w`",
      { default: "`26h`" },
    ),
    openMetricsFile: openMetricsOption,
  },
  examples: [
    ["status --base-url https://example.org/", "show the status; exit code 0, 7 (warning) or 8 (critical)"],
    ["status --config /etc/tidemark.json --quiet", "only set the exit code, for monitoring"],
    ["status --config /etc/tidemark.json --openmetrics tidemark.prom", "write a file for node_exporter"],
  ],
  isPaged: () => true,
  plan: (given, args, fail) => {
    const { configFile, site, baseUrl, stateDir, docroot } = given;
    if (configFile === undefined && baseUrl === undefined && stateDir === undefined) {
      fail("No site is named: --config, --base-url or --state is missing.");
    }
    if (configFile !== undefined && (baseUrl ?? stateDir ?? docroot) !== undefined) {
      fail("--config and --base-url, --state or --docroot exclude each other.");
    }
    if (configFile === undefined && site !== undefined)
      fail("--site selects a site of a configuration file, and --config is missing.");
    if (given.openMetricsFile === "-" && args.json === true)
      fail("--json and --openmetrics without a file exclude each other.");
    return given;
  },
  load: async () => (await import("./status-run.ts")).runStatus,
});
