import { TidemarkError } from "../../core/index.ts";
import type { DailyBudget } from "../../crawler/index.ts";
import { type Command, valueOption } from "../terminal/command.ts";
import { type RawArguments, siteUrl, textOption } from "../terminal/option.ts";
import type { PlanArguments } from "./plan-run.ts";

const defaultBudget: DailyBudget = { share: 0.05 };

function budgetOption(text: string | undefined): DailyBudget {
  if (text === undefined) return defaultBudget;
  const [, digits = "", percent] = /^(\d{1,12}(?:\.\d{1,6})?)(%?)$/.exec(text) ?? [];
  const value = Number(digits);
  if (digits === "" || !(value > 0))
    throw new TidemarkError(
      "bad-option",
      `--budget ${text}: not a number of requests a day, nor a share of the pages.`,
      {
        hint: "Write 500, or 5%.",
      },
    );
  return percent === "%" ? { share: value / 100 } : { perDay: value };
}

function freshnessOption(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^0?\.\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (value > 0 && value < 1) return value;
  throw new TidemarkError("bad-option", `--freshness ${text}: not a share of the time between 0 and 1.`, {
    hint: "Write 0.9 for copies that are as the pages are for 90 % of the time.",
  });
}

function planPlan(args: RawArguments): PlanArguments {
  const site = textOption(args, "site");
  const figure = textOption(args, "figure");
  if (figure !== undefined && !/\.svg$/i.test(figure))
    throw new TidemarkError("bad-option", `--figure ${figure}: not the name of an SVG file.`, {
      hint: "Figures are drawn as SVG: let the name end in .svg.",
    });
  return {
    store: textOption(args, "dir") ?? "",
    url: site === undefined ? undefined : siteUrl(site, "--site"),
    budget: budgetOption(textOption(args, "budget")),
    freshness: freshnessOption(textOption(args, "freshness")),
    figure,
  };
}

/** `tidemark plan` */
export const planCommand: Command = {
  usage: "plan <dir>",
  describe: "Tell how fresh a crawler's copies would be by each planner, and what that takes",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into, or the state's file" },
  options: {
    site: valueOption("Only this site, such as https://example.org/"),
    budget: valueOption("Requests for pages a day, such as 500, or a share of the pages, such as 5% (5%)"),
    freshness: valueOption("Also the budget for this freshness, such as 0.9"),
    figure: valueOption("Draw freshness against budget into this file, FILE.svg"),
  },
  examples: [
    ["plan mirror", "what each planner would do with requests for 5 % of the pages a day"],
    ["plan mirror --freshness 0.9", "and how many requests a day it takes for 90 % fresh copies"],
    ["plan mirror --site https://example.org/ --budget 500 --figure plan.svg", "one site, and a figure"],
  ],
  plan: (args) => {
    const options = planPlan(args);
    return async (context) => (await import("./plan-run.ts")).runPlan(options, context);
  },
};
