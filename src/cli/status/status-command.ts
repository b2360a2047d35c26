import { TidemarkError } from "../../core/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { durationOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { StatusArguments } from "./status-run.ts";

function planStatus(args: RawArguments): StatusArguments {
  const configFile = textOption(args, "config");
  const site = textOption(args, "site");
  const baseUrl = textOption(args, "base-url");
  const stateDir = textOption(args, "state");
  const docroot = textOption(args, "docroot");
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
  if (site !== undefined) siteUrl(site, "--site");
  if (baseUrl !== undefined) siteUrl(baseUrl, "--base-url");
  const openMetricsFile = args.openmetrics === "" ? "-" : textOption(args, "openmetrics");
  if (openMetricsFile === "-" && args.json === true)
    fail("--json and --openmetrics without a file exclude each other.");
  return { configFile, site, baseUrl, stateDir, docroot, maxAgeMs: durationOption(args, "max-age"), openMetricsFile };
}

/** `tidemark status` */
export const statusCommand: Command = {
  usage: "status",
  describe: "Say what was published when, what changed by day, and whether all is well",
  positionals: {},
  options: {
    config: valueOption("The sites of this configuration file"),
    site: valueOption("Only this site of --config, by its base URL"),
    "base-url": valueOption("The site, where there is no configuration file"),
    state: valueOption("State folder of the site (~/.local/state/tidemark/HOST or /var/lib/tidemark/HOST)"),
    docroot: valueOption("Document root to hold against the state (that of the last run)"),
    "max-age": valueOption("How old the last run that ended well may be, such as 90m, 26h or 8d (26h)"),
    openmetrics: {
      type: "string",
      describe: "Write OpenMetrics text to this file, whole or not at all; without a file, to standard output",
    },
  },
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
