import { flag, settingRow as row } from "../../config/index.ts";
import { type Command, defineCommand, mirrorsFolder, openMetricsOption } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark top` */
export const topCommand: Command = defineCommand({
  usage: "top <dir>",
  describe: "Watch how tidemark crawl --sites --forever is doing",
  positionals: { dir: mirrorsFolder },
  options: {
    isOnce: row("once", flag, "Show it once, on a terminal too"),
    openMetricsFile: openMetricsOption,
  },
  examples: [
    ["top mirrors", "a live view; q ends it"],
    ["top mirrors --once --json", "the same, for programs"],
    ["top mirrors --openmetrics tidemark.prom", "for node_exporter's textfile folder"],
  ],
  plan: (given, args, fail) => {
    if (given.openMetricsFile === "-" && args.json === true)
      fail("--json and --openmetrics without a file exclude each other.");
    return { ...given, into: argument(args, "dir") };
  },
  load: async () => (await import("./top-run.ts")).runTop,
});
