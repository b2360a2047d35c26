import { flag, settingRow as row, type SettingTable } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import { type Command, openMetricsOption } from "../terminal/command.ts";
import { type RawArguments, readSettings, textOption } from "../terminal/option.ts";
import type { TopArguments } from "./top-run.ts";

const settings: SettingTable<Omit<TopArguments, "into">> = {
  isOnce: row("once", flag, "Show it once; so it is where nobody watches, and with --json", {
    doc: "show it once, on a terminal too",
  }),
  openMetricsFile: openMetricsOption,
};

function planTop(args: RawArguments): TopArguments {
  const options = readSettings(args, settings);
  if (options.openMetricsFile === "-" && args.json === true)
    throw new TidemarkError("bad-option", "--json and --openmetrics without a file exclude each other.", {
      hint: "See `tidemark top --help`.",
    });
  return { ...options, into: textOption(args, "dir") ?? "" };
}

/** `tidemark top` */
export const topCommand: Command = {
  usage: "top <dir>",
  describe: "Watch how tidemark crawl --sites --forever is doing",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into" },
  options: settings,
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
