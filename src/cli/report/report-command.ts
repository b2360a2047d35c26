import { date, settingRow as row, type SettingTable, siteUrl, wholeNumber } from "../../config/index.ts";
import { TidemarkError } from "../../core/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, textOption } from "../terminal/option.ts";
import type { ReportArguments } from "./report-run.ts";

const settings: SettingTable<Omit<ReportArguments, "store">> = {
  url: row("site URL", siteUrl, "Only this site, such as https://example.org/", { default: "all" }),
  since: row("since DATE", date, "Only visits from this date on", { default: "all" }),
  check: row(
    "check N",
    wholeNumber(1, 100_000),
    "Fetch so many pages of each site whole, at random, and compare them",
    { default: "none" },
  ),
  seed: row("seed N", wholeNumber(0, 2 ** 32 - 1), "Choose the sample of this number again", {
    default: "another each time",
    doc: "choose the same sample again",
  }),
  delayMs: row("delay MS", wholeNumber(0, 3_600_000), "Milliseconds before each request", {
    default: "`Crawl-delay` of robots.txt, at least 100",
    doc: "pause before each request",
  }),
};

function planReport(args: RawArguments): ReportArguments {
  const options = readSettings(args, settings);
  const { check, seed, delayMs } = options;
  if (check === undefined && (seed !== undefined || delayMs !== undefined)) {
    throw new TidemarkError("bad-option", `--${seed === undefined ? "delay" : "seed"} is of --check.`);
  }
  return { ...options, store: textOption(args, "dir") ?? "" };
}

/** `tidemark report` */
export const reportCommand: Command = {
  usage: "report <dir>",
  describe: "Show what the last visits of a crawler cost, saved and missed",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into, or the state's file" },
  options: settings,
  examples: [
    ["report mirror --since 2026-11-01", "this month, beside polling and downloading all"],
    ["report mirror --check 300", "proof that at most one page in a hundred was missed"],
  ],
  plan: (args) => {
    const options = planReport(args);
    return async (context) => (await import("./report-run.ts")).runReport(options, context);
  },
};
