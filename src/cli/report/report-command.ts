import { date, path, settingRow as row, wholeNumber } from "../../config/index.ts";
import {
  type Command,
  defineCommand,
  delayOption,
  mirrorsFolder,
  seedOption,
  siteOption,
} from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

/** `tidemark report` */
export const reportCommand: Command = defineCommand({
  usage: "report <dir>",
  describe: "Show what a crawler's last visits cost, and what they saved and missed",
  positionals: { dir: `${mirrorsFolder}, or the state's file` },
  options: {
    url: siteOption,
    since: row("since DATE", date, "Only visits from this date on", { default: "all" }),
    check: row(
      "check N",
      wholeNumber(1, 100_000),
      "Fetch this many random pages of each site without validators, and compare them with the copies",
      {
        default: "none",
      },
    ),
    seed: seedOption,
    delayMs: delayOption,
    html: row("html FILE", path, "Also write a page with figures and tables to this file", { default: "none" }),
  },
  examples: [
    [
      "report mirror --since 2026-11-01",
      "visits since the first of the month, compared with polling and downloading all",
    ],
    ["report mirror --html report.html", "the same, with figures, as a page that needs nothing from elsewhere"],
    ["report mirror --check 300", "check whether at most one page in a hundred was missed"],
  ],
  isPaged: () => true,
  plan: (given, args, fail) => {
    const { check, seed, delayMs } = given;
    if (check === undefined && (seed !== undefined || delayMs !== undefined))
      fail(`--${seed === undefined ? "delay" : "seed"} has no effect without --check.`);
    return { ...given, store: argument(args, "dir") };
  },
  load: async () => (await import("./report-run.ts")).runReport,
});
