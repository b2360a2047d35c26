import { date, path, settingRow as row, siteUrl, wholeNumber } from "../../config/index.ts";
import { type Command, defineCommand, delayOption, seedOption, siteOption } from "../terminal/command.ts";
import { trafficOptions } from "../traffic/traffic-command.ts";

const crawlerOptions = {
  url: siteOption,
  since: row("since DATE", date, "Only visits from this date on", { default: "all" }),
  check: row(
    "check N",
    wholeNumber(1, 100_000),
    "Fetch this many random pages of each site without validators, and compare them with the copies",
    { default: "none" },
  ),
  seed: seedOption,
  delayMs: delayOption,
};

const siteOptions = {
  ...trafficOptions,
  baseUrl: row("base-url URL", siteUrl, "The site of the logs: what its exports published is shown too"),
  stateDir: row("state DIR", path, "State folder of the site's exports", {
    default: "`~/.local/state/tidemark/HOST`, or `/var/lib/tidemark/HOST` if only that exists",
  }),
};

/** `tidemark report` */
export const reportCommand: Command = defineCommand({
  usage: "report <from..>",
  describe: "Show what a crawler's last visits cost, or what crawlers cost a site",
  positionals: {
    from: "A crawler's folder of mirrors or state file, or a site's access logs; - reads a log from standard input",
  },
  options: {
    html: row("html FILE", path, "Also write a page with figures and tables to this file", { default: "none" }),
    ...crawlerOptions,
    ...siteOptions,
  },
  examples: [
    [
      "report mirror --since 2026-11-01",
      "a crawler's visits since the first of the month, compared with polling and downloading all",
    ],
    ["report mirror --html report.html", "the same, with figures, as a page that needs nothing from elsewhere"],
    ["report mirror --check 300", "check whether at most one page in a hundred was missed"],
    [
      "report /var/log/nginx/access.log* --base-url https://example.org/ --html report.html",
      "who crawls a site, what is wasted, what changed, and what to do",
    ],
  ],
  isPaged: () => true,
  plan: ({ html, ...given }, args, fail) => {
    const { check, seed, delayMs, url, since, ...site } = given;
    if (check === undefined && (seed !== undefined || delayMs !== undefined))
      fail(`--${seed === undefined ? "delay" : "seed"} has no effect without --check.`);
    const from = [args.from ?? []].flat().map(String);
    if (from.length === 0) fail("Name a crawler's folder, or at least one log.");
    if (from.filter((one) => one === "-").length > 1) fail("Standard input is named twice.");
    return { from, html, crawler: { url, since, check, seed, delayMs }, site };
  },
  load: async () => (await import("./report-run.ts")).runReport,
});
