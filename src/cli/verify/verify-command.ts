import { TidemarkError } from "../../core/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { flagOption, integerOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { VerifyArguments } from "./verify-run.ts";

function planVerify(args: RawArguments): VerifyArguments {
  const sample = integerOption(args, "sample", 1, 1_000_000);
  const all = flagOption(args, "all");
  if (all && sample !== undefined) {
    throw new TidemarkError("bad-option", "--all and --sample exclude each other.");
  }
  return {
    url: siteUrl(textOption(args, "url") ?? "", "The address"),
    sample,
    all,
    seed: integerOption(args, "seed", 0, 2 ** 32 - 1),
    delayMs: integerOption(args, "delay", 0, 3_600_000),
  };
}

/** `tidemark verify` */
export const verifyCommand: Command = {
  usage: "verify <url>",
  describe: "Ask the live server whether it serves what is published",
  positionals: { url: "The site, such as https://example.org/" },
  options: {
    sample: valueOption("Pages to ask for, chosen at random (100)"),
    all: { type: "boolean", describe: "Ask for every page" },
    seed: valueOption("Choose the sample of this number again"),
    delay: valueOption("Milliseconds before each request (Crawl-delay of robots.txt, at least 100)"),
  },
  examples: [
    ["verify https://example.org/", "a hundred pages, and what to do about differences"],
    ["verify http://localhost/ --all --delay 0", "every page of a server of one's own"],
  ],
  plan: (args) => {
    const options = planVerify(args);
    return async (context) => (await import("./verify-run.ts")).runVerify(options, context);
  },
};
