import { path, settingRow as row, siteUrl, timeSpan } from "../../config/index.ts";
import { type Command, defineCommand, openMetricsOption } from "../terminal/command.ts";

/** `tidemark status` */
export const statusCommand: Command = defineCommand({
  usage: "status",
  describe: "Say what was published when, what changed by day, and whether all is well",
  positionals: {},
  options: {
    configFile: row("config FILE", path, "The sites of this configuration file"),
    site: row("site URL", siteUrl, "Only this site of --config, by its base URL", { default: "all" }),
    baseUrl: row("base-url URL", siteUrl, "The site, where there is no configuration file"),
    stateDir: row("state DIR", path, "State folder of the site", {
      default: "`~/.local/state/tidemark/HOST`, or `/var/lib/tidemark/HOST` if only that is there",
    }),
    docroot: row("docroot DIR", path, "Document root to hold against the state", { default: "that of the last run" }),
    maxAgeMs: row(
      "max-age SPAN",
      timeSpan,
      "How old the last run that ended well may be: `90s`, `30m`, `26h`, `8d`, `2w`",
      { default: "`26h`" },
    ),
    openMetricsFile: openMetricsOption,
  },
  examples: [
    ["status --base-url https://example.org/", "how it stands; exit code 0, 7 (warning) or 8 (critical)"],
    ["status --config /etc/tidemark.json --quiet", "the exit code only, for monitoring"],
    ["status --config /etc/tidemark.json --openmetrics tidemark.prom", "for node_exporter's textfile folder"],
  ],
  plan: (given, args, fail) => {
    const { configFile, site, baseUrl, stateDir, docroot } = given;
    if (configFile === undefined && baseUrl === undefined && stateDir === undefined) {
      fail("It is not said which site: --config, --base-url or --state is missing.");
    }
    if (configFile !== undefined && (baseUrl ?? stateDir ?? docroot) !== undefined) {
      fail("--config and --base-url, --state or --docroot exclude each other.");
    }
    if (configFile === undefined && site !== undefined) fail("--site picks a site of --config, which is missing.");
    if (given.openMetricsFile === "-" && args.json === true)
      fail("--json and --openmetrics without a file exclude each other.");
    return given;
  },
  load: async () => (await import("./status-run.ts")).runStatus,
});
