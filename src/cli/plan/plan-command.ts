import { converted, numberBetween, path, settingRow as row, text } from "../../config/index.ts";
import type { DailyBudget } from "../../crawler/index.ts";
import { type Command, defineCommand, mirrorsFolder, siteOption } from "../terminal/command.ts";
import { argument } from "../terminal/option.ts";

function parseBudget(given: string): DailyBudget | undefined {
  const [, digits = "", percent] = /^(\d{1,12}(?:\.\d{1,6})?)(%?)$/.exec(given) ?? [];
  const value = Number(digits);
  if (!(value > 0)) return undefined;
  return percent === "%" ? { share: value / 100 } : { perDay: value };
}

/** `tidemark plan` */
export const planCommand: Command = defineCommand({
  usage: "plan <dir>",
  describe: "Forecast how fresh a crawler's copies would be with each planner",
  positionals: { dir: `${mirrorsFolder}, or the state file` },
  options: {
    url: { ...siteOption, default: "all sites together" },
    budget: row(
      "budget N",
      {
        ...converted(text, parseBudget),
        expects: "a number of requests a day, nor a share of the pages",
        hint: "Write 500, or 5%.",
      },
      "Page requests per day, such as `500`, or a share of the pages, such as `5%`",
      { default: "`5%`" },
    ),
    freshness: row(
      "freshness F",
      {
        ...numberBetween(0, 1),
        expects: "a share of the time between 0 and 1",
        hint: "Write 0.9 for copies that equal their pages 90 % of the time.",
        parseText: (given) => (/^0?\.\d{1,6}$/.test(given) ? Number(given) || undefined : undefined),
      },
      "Also print the least budget for this freshness, such as 0.9: the share of the time in which copies equal the pages",
    ),
    figure: row(
      "figure FILE.svg",
      {
        ...path,
        expects: "the name of an SVG file",
        hint: "Figures are drawn as SVG: let the name end in .svg.",
        parseText: (given) => (/\.svg$/i.test(given) ? given : undefined),
      },
      "Draw freshness against budget into this file, one line for each planner; an existing file is replaced",
    ),
  },
  examples: [
    ["plan mirror", "compare the planners, with a budget of 5 % of the pages per day"],
    ["plan mirror --freshness 0.9", "also say how many requests per day give 90 % fresh copies"],
    ["plan mirror --site https://example.org/ --budget 500 --figure plan.svg", "for one site, with a figure"],
  ],
  isPaged: () => true,
  plan: ({ budget = { share: 0.05 }, ...given }, args) => ({ ...given, budget, store: argument(args, "dir") }),
  load: async () => (await import("./plan-run.ts")).runPlan,
});
