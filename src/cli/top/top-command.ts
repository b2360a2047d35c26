import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { flagOption, type RawArguments, textOption } from "../terminal/option.ts";
import type { TopArguments } from "./top-run.ts";

function planTop(args: RawArguments): TopArguments {
  const openMetricsFile = args.openmetrics === "" ? "-" : textOption(args, "openmetrics");
  if (openMetricsFile === "-" && args.json === true)
    throw new TidemarkError("bad-option", "--json and --openmetrics without a file exclude each other.", {
      hint: "See `tidemark top --help`.",
    });
  return { into: textOption(args, "dir") ?? "", isOnce: flagOption(args, "once"), openMetricsFile };
}

/** `tidemark top` */
export const topCommand: Command = {
  usage: "top <dir>",
  describe: "Watch how tidemark crawl --sites --forever is doing",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into" },
  options: {
    once: { type: "boolean", describe: "Show it once; so it is where nobody watches, and with --json" },
    openmetrics: {
      type: "string",
      describe: "Write OpenMetrics text to this file, whole or not at all; without a file, to standard output",
    },
  },
  examples: [
    ["top mirrors", "a live view; q ends it"],
    ["top mirrors --once --json", "the same, for programs"],
    ["top mirrors --openmetrics tidemark.prom", "for node_exporter's textfile folder"],
  ],
  plan: (args) => {
    const options = planTop(args);
    return async (context) => (await import("./top-run.ts")).runTop(options, context);
  },
};
