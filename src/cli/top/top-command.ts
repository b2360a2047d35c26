import { flag, settingRow as row } from "../../config/index.ts";
import { type Command, defineCommand, mirrorsFolder, openMetricsOption } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark top` */
export const topCommand: Command = defineCommand({
  usage: "top <dir>",
  describe: "Show the status of tidemark crawl --sites --forever, or --web",
  positionals: { dir: mirrorsFolder },
  options: {
    isOnce: row("once", flag, "Show the status once, even on a terminal"),
    openMetricsFile: openMetricsOption,
  },
  examples: [
    ["top mirrors", "show it continuously; q ends it"],
    ["top mirrors --once --json", "show it once, for programs"],
    ["top mirrors --openmetrics tidemark.prom", "write a file for node_exporter"],
  ],
  plan: (given, args, fail) => {
    if (given.openMetricsFile === "-" && args.json === true)
      fail("--json and --openmetrics without a file exclude each other.");
    return { ...given, into: argument(args, "dir") };
  },
  load: async () => (await import("./top-run.ts")).runTop,
});
