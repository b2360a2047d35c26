import { TidemarkError } from "../../core/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { dateOption, integerOption, type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { ReportArguments } from "./report-run.ts";

function planReport(args: RawArguments): ReportArguments {
  const site = textOption(args, "site");
  const check = integerOption(args, "check", 1, 100_000);
  const seed = integerOption(args, "seed", 0, 2 ** 32 - 1);
  const delayMs = integerOption(args, "delay", 0, 3_600_000);
  if (check === undefined && (seed !== undefined || delayMs !== undefined)) {
    throw new TidemarkError("bad-option", `--${seed === undefined ? "delay" : "seed"} is of --check.`);
  }
  return {
    store: textOption(args, "dir") ?? "",
    url: site === undefined ? undefined : siteUrl(site, "--site"),
    since: dateOption(args, "since"),
    check,
    seed,
    delayMs,
  };
}

/** `tidemark report` */
export const reportCommand: Command = {
  usage: "report <dir>",
  describe: "Show what the last visits of a crawler cost, saved and missed",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into, or the state's file" },
  options: {
    site: valueOption("Only this site, such as https://example.org/"),
    since: valueOption("Only visits from this date on"),
    check: valueOption("Fetch so many pages of each site whole, at random, and compare them"),
    seed: valueOption("Choose the sample of this number again"),
    delay: valueOption("Milliseconds before each request (Crawl-delay of robots.txt, at least 100)"),
  },
  examples: [
    ["report mirror --since 2026-11-01", "this month, beside polling and downloading all"],
    ["report mirror --check 300", "proof that at most one page in a hundred was missed"],
  ],
  plan: (args) => {
    const options = planReport(args);
    return async (context) => (await import("./report-run.ts")).runReport(options, context);
  },
};
