import { flag, settingRow as row, type SettingTable, wholeNumber } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, siteUrl, textOption } from "../terminal/option.ts";
import type { VerifyArguments } from "./verify-run.ts";

const settings: SettingTable<Omit<VerifyArguments, "url">> = {
  sample: row("sample N", wholeNumber(1, 1_000_000), "Pages to ask for, chosen at random", {
    default: "100",
    doc: "pages to ask for, chosen at random, each with the same chance",
  }),
  all: row("all", flag, "Ask for every page"),
  seed: row("seed N", wholeNumber(0, 2 ** 32 - 1), "Choose the sample of this number again", {
    default: "another each time",
    doc: "choose the same sample again; the summary says the seed",
  }),
  delayMs: row("delay MS", wholeNumber(0, 3_600_000), "Milliseconds before each request", {
    default: "`Crawl-delay` of robots.txt, at least 100",
    doc: "pause before each request; 0 for a server of one's own",
  }),
};

function planVerify(args: RawArguments): VerifyArguments {
  const options = readSettings(args, settings);
  if (options.all && options.sample !== undefined) {
    throw new TidemarkError("bad-option", "--all and --sample exclude each other.");
  }
  return { ...options, url: siteUrl(textOption(args, "url") ?? "", "The address") };
}

/** `tidemark verify` */
export const verifyCommand: Command = {
  usage: "verify <url>",
  describe: "Ask the live server whether it serves what is published",
  positionals: { url: "The site, such as https://example.org/" },
  options: settings,
  examples: [
    ["verify https://example.org/", "a hundred pages, and what to do about differences"],
    ["verify http://localhost/ --all --delay 0", "every page of a server of one's own"],
  ],
  plan: (args) => {
    const options = planVerify(args);
    return async (context) => (await import("./verify-run.ts")).runVerify(options, context);
  },
};
