import { flag, path, settingRow as row, type SettingTable, siteUrl, wholeNumber } from "../../config/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, textOption } from "../terminal/option.ts";
import type { VerifyMirrorArguments } from "./verify-mirror-run.ts";

const settings: SettingTable<Omit<VerifyMirrorArguments, "into">> = {
  stateFile: row("state FILE", path, "File of what is remembered between runs", {
    default: "`DIR/.tidemark/state.db`",
  }),
  url: row("site URL", siteUrl, "Only this site, such as https://example.org/", { default: "all" }),
  sample: row("sample N", wholeNumber(1, 1_000_000), "Pages of each site to read, chosen at random", {
    default: "all",
  }),
  seed: row("seed N", wholeNumber(0, 2 ** 32 - 1), "Choose the sample of this number again", {
    default: "another each time",
  }),
  heal: row("heal", flag, "Let the next crawl fetch what is damaged; foreign files stay"),
};

function planVerifyMirror(args: RawArguments): VerifyMirrorArguments {
  return { ...readSettings(args, settings), into: textOption(args, "dir") ?? "" };
}

/** `tidemark verify-mirror` */
export const verifyMirrorCommand: Command = {
  usage: "verify-mirror <dir>",
  describe: "Read a mirror's files and find what rotted, is missing or foreign",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into" },
  options: settings,
  examples: [
    ["verify-mirror mirror", "each file's size and digest"],
    ["verify-mirror mirror --heal; tidemark crawl https://example.org/ --into mirror", "mend what is damaged"],
  ],
  plan: (args) => {
    const options = planVerifyMirror(args);
    return async (context) => (await import("./verify-mirror-run.ts")).runVerifyMirror(options, context);
  },
};
