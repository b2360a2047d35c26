import {
  converted,
  numberBetween,
  path,
  settingRow as row,
  type SettingTable,
  siteUrl,
  text,
} from "../../config/index.ts";
import type { DailyBudget } from "../../crawler/index.ts";
import type { Command } from "../terminal/command.ts";
import { type RawArguments, readSettings, textOption } from "../terminal/option.ts";
import type { PlanArguments } from "./plan-run.ts";

const settings: SettingTable<Omit<PlanArguments, "store">> = {
  url: row("site URL", siteUrl, "Only this site, such as https://example.org/", {
    default: "all sites together",
    doc: "only the pages of this site",
  }),
  budget: row(
    "budget N",
    {
      ...converted(text, parseBudget),
      expects: "a number of requests a day, nor a share of the pages",
      hint: "Write 500, or 5%.",
    },
    "Requests for pages a day, such as 500, or a share of the pages, such as 5%",
    {
      default: "`5%`",
      doc: "requests for pages a day, such as `500`, or a share of the pages, such as `5%`",
    },
  ),
  freshness: row(
    "freshness F",
    {
      ...numberBetween(0, 1),
      expects: "a share of the time between 0 and 1",
      hint: "Write 0.9 for copies that are as the pages are for 90 % of the time.",
      parseText: (given) => (/^0?\.\d{1,6}$/.test(given) ? Number(given) || undefined : undefined),
    },
    "Also the budget for this freshness, such as 0.9",
    {
      doc: "also the least budget with which copies are as the pages are for this share of the time, over 0 and below 1",
    },
  ),
  figure: row(
    "figure FILE.svg",
    {
      ...path,
      expects: "the name of an SVG file",
      hint: "Figures are drawn as SVG: let the name end in .svg.",
      parseText: (given) => (/\.svg$/i.test(given) ? given : undefined),
    },
    "Draw freshness against budget into this file, FILE.svg",
    {
      doc: "draws freshness against budget, a line for each planner; a file of that name is replaced",
    },
  ),
};

function parseBudget(given: string): DailyBudget | undefined {
  const [, digits = "", percent] = /^(\d{1,12}(?:\.\d{1,6})?)(%?)$/.exec(given) ?? [];
  const value = Number(digits);
  if (!(value > 0)) return undefined;
  return percent === "%" ? { share: value / 100 } : { perDay: value };
}

function planPlan(args: RawArguments): PlanArguments {
  return { ...readSettings(args, settings), store: textOption(args, "dir") ?? "" };
}

/** `tidemark plan` */
export const planCommand: Command = {
  usage: "plan <dir>",
  describe: "Tell how fresh a crawler's copies would be by each planner, and what that takes",
  positionals: { dir: "Folder of the mirrors, as it was given to crawl --into, or the state's file" },
  options: settings,
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
