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
  describe: "Read a mirror's files and find what rotted, is missing or foreign",
  positionals: { dir: mirrorsFolder },
  options: {
    stateFile: stateOption,
    url: siteOption,
    sample: row("sample N", wholeNumber(1, 1_000_000), "Pages of each site to read, chosen at random", {
      default: "all",
    }),
    seed: seedOption,
    heal: row("heal", flag, "Let the next crawl fetch what is damaged; foreign files stay"),
  },
  examples: [
    ["verify-mirror mirror", "each file's size and digest"],
    ["verify-mirror mirror --heal; tidemark crawl https://example.org/ --into mirror", "mend what is damaged"],
  ],
  plan: (given, args) => ({ ...given, into: argument(args, "dir") }),
  load: async () => (await import("./verify-mirror-run.ts")).runVerifyMirror,
});
