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
  describe: "Tell how fresh a crawler's copies would be by each planner, and what that takes",
  positionals: { dir: `${mirrorsFolder}, or the state's file` },
  options: {
    url: { ...siteOption, default: "all sites together" },
    budget: row(
      "budget N",
      {
        ...converted(text, parseBudget),
        expects: "a number of requests a day, nor a share of the pages",
        hint: "Write 500, or 5%.",
      },
      "Requests for pages a day, such as `500`, or a share of the pages, such as `5%`",
      { default: "`5%`" },
    ),
    freshness: row(
      "freshness F",
      {
        ...numberBetween(0, 1),
        expects: "a share of the time between 0 and 1",
        hint: "Write 0.9 for copies that are as the pages are for 90 % of the time.",
        parseText: (given) => (/^0?\.\d{1,6}$/.test(given) ? Number(given) || undefined : undefined),
      },
      "Also the least budget for this freshness, such as 0.9: the share of the time in which copies equal the pages",
    ),
    figure: row(
      "figure FILE.svg",
      {
        ...path,
        expects: "the name of an SVG file",
        hint: "Figures are drawn as SVG: let the name end in .svg.",
        parseText: (given) => (/\.svg$/i.test(given) ? given : undefined),
      },
      "Draw freshness against budget into this file, a line for each planner; a file of that name is replaced",
    ),
  },
  examples: [
    ["plan mirror", "what each planner would do with requests for 5 % of the pages a day"],
    ["plan mirror --freshness 0.9", "and how many requests a day it takes for 90 % fresh copies"],
    ["plan mirror --site https://example.org/ --budget 500 --figure plan.svg", "one site, and a figure"],
  ],
  plan: ({ budget = { share: 0.05 }, ...given }, args) => ({ ...given, budget, store: argument(args, "dir") }),
  load: async () => (await import("./plan-run.ts")).runPlan,
});
