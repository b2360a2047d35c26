import { flag, settingRow as row, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand, delayOption, seedOption } from "../terminal/command.ts";
import { siteArguments } from "../terminal/option.ts";

/** `tidemark verify` */
export const verifyCommand: Command = defineCommand({
  usage: "verify <url>",
  describe: "Ask the live server whether it serves what is published",
  positionals: { url: "The site, such as https://example.org/" },
  options: {
    sample: row(
      "sample N",
      wholeNumber(1, 1_000_000),
      "Pages to ask for, chosen at random, each with the same chance",
      { default: "100" },
    ),
    all: row("all", flag, "Ask for every page"),
    seed: seedOption,
    delayMs: delayOption,
  },
  examples: [
    ["verify https://example.org/", "a hundred pages, and what to do about differences"],
    ["verify http://localhost/ --all --delay 0", "every page of a server of one's own"],
  ],
  plan: (given, args, fail) => {
    if (given.all && given.sample !== undefined) fail("--all and --sample exclude each other.");
    const [url = ""] = siteArguments(args, "url");
    return { ...given, url };
  },
  load: async () => (await import("./verify-run.ts")).runVerify,
});
