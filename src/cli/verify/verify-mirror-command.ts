import { flag, settingRow as row, wholeNumber } from "../../config/index.ts";
import {
  type Command,
  defineCommand,
  mirrorsFolder,
  seedOption,
  siteOption,
  stateOption,
} from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark verify-mirror` */
export const verifyMirrorCommand: Command = defineCommand({
  usage: "verify-mirror <dir>",
  describe: "Find files of a mirror that are damaged, missing or foreign",
  positionals: { dir: mirrorsFolder },
  options: {
    stateFile: stateOption,
    url: siteOption,
    sample: row("sample N", wholeNumber(1, 1_000_000), "Pages of each site to read, chosen at random", {
      default: "all",
    }),
    seed: seedOption,
    heal: row("heal", flag, "Make the next crawl fetch damaged files again; foreign files stay"),
  },
  examples: [
    ["verify-mirror mirror", "compare each file's size and digest with the state"],
    ["verify-mirror mirror --heal; tidemark crawl https://example.org/ --into mirror", "fetch damaged files again"],
  ],
  plan: (given, args) => ({ ...given, into: argument(args, "dir") }),
  load: async () => (await import("./verify-mirror-run.ts")).runVerifyMirror,
});
