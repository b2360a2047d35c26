import { path, settingRow as row, type SettingTable, wholeNumber } from "../../config/index.ts";
import type { Command } from "../terminal/command.ts";
import { readSettings } from "../terminal/option.ts";
import type { DemoArguments } from "./demo-run.ts";

const settings: SettingTable<DemoArguments> = {
  pages: row("pages N", wholeNumber(100, 100_000), "Pages of the site", { default: "3000", doc: "100 to 100000" }),
  keepFolder: row("keep DIR", path, "Keep site and mirrors in this folder, which must be empty or new", {
    default: "nothing stays",
    doc: "keep site, state and mirror in this folder, which must be empty or new",
  }),
};

/** `tidemark demo` */
export const demoCommand: Command = {
  usage: "demo",
  describe: "Publish and crawl a made-up site three times, beside polling and full downloads",
  positionals: {},
  options: settings,
  examples: [["demo", "takes half a minute at most and leaves nothing behind"]],
  plan: (args) => {
    const options = readSettings(args, settings);
    return async (context) => (await import("./demo-run.ts")).runDemo(options, context);
  },
};
