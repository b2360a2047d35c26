import { flag, settingRow as row, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand, delayOption, seedOption } from "../terminal/command.ts";
import { siteArguments } from "../terminal/option.ts";

/** `tidemark verify` */
export const verifyCommand: Command = defineCommand({
  usage: "verify <url>",
  describe: "Compare what is published with what the live server serves",
  positionals: { url: "The site, such as https://example.org/" },
  options: {
    sample: row(
      "sample N",
      wholeNumber(1, 1_000_000),
      "Pages to request, chosen at random, each with the same probability",
      { default: "100" },
    ),
    all: row("all", flag, "Request every page"),
    seed: seedOption,
    delayMs: delayOption,
  },
  examples: [
    ["verify https://example.org/", "check a hundred pages; say how to mend differences"],
    ["verify http://localhost/ --all --delay 0", "check every page of a server of your own"],
  ],
  plan: (given, args, fail) => {
    if (given.all && given.sample !== undefined) fail("--all and --sample exclude each other.");
    const [url = ""] = siteArguments(args, "url");
    return { ...given, url };
  },
  load: async () => (await import("./verify-run.ts")).runVerify,
});
