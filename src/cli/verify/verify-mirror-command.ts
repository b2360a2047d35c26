import { type Command, valueOption } from "../terminal/command.ts";
import { flagOption, integerOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { VerifyMirrorArguments } from "./verify-mirror-run.ts";

function planVerifyMirror(args: RawArguments): VerifyMirrorArguments {
  const site = textOption(args, "site");
  return {
    into: textOption(args, "dir") ?? "",
    stateFile: textOption(args, "state"),
    url: site === undefined ? undefined : siteUrl(site, "--site"),
    sample: integerOption(args, "sample", 1, 1_000_000),
    seed: integerOption(args, "seed", 0, 2 ** 32 - 1),
    heal: flagOption(args, "heal"),
  };
}

/** `tidemark verify-mirror` */
export const verifyMirrorCommand: Command = {
  usage: "verify-mirror <dir>",
  describe: "Read a mirror's files and find what rotted, is missing or foreign",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into" },
  options: {
    state: valueOption("File of what is remembered between runs (DIR/.tidemark/state.db)"),
    site: valueOption("Only this site, such as https://example.org/"),
    sample: valueOption("Pages of each site to read, chosen at random (all)"),
    seed: valueOption("Choose the sample of this number again"),
    heal: { type: "boolean", describe: "Let the next crawl fetch what is damaged; foreign files stay" },
  },
  examples: [
    ["verify-mirror mirror", "each file's size and digest"],
    ["verify-mirror mirror --heal; tidemark crawl https://example.org/ --into mirror", "mend what is damaged"],
  ],
  plan: (args) => {
    const options = planVerifyMirror(args);
    return async (context) => (await import("./verify-mirror-run.ts")).runVerifyMirror(options, context);
  },
};
