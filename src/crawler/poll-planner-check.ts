import { TidemarkError } from "../core/index.ts";
import type { CrawlSiteOptions } from "./crawl-site-options.ts";
import { isPollPlannerName, pollPlannerNames, pollPlannerOf } from "./engine/revisit/poll-planners.ts";

/** @throws TidemarkError `bad-option` if there is no such planner, or it has nothing to plan */
export function checkPlanner({
  planner,
  isPlanned,
  budget,
  url,
}: Pick<CrawlSiteOptions, "planner" | "isPlanned" | "budget" | "url">): void {
  if (planner === undefined) return;
  if (!isPollPlannerName(planner))
    throw new TidemarkError("bad-option", `There is no planner ${String(planner)}.`, {
      hint: `There are ${pollPlannerNames.join(", ")}.`,
    });
  if (budget !== undefined) return;
  if (isPlanned === false)
    throw new TidemarkError(
      "bad-option",
      `The planner ${planner} has nothing to plan: all pages of ${url} are requested.`,
      {
        hint: "Leave out --poll all, or add --budget N.",
      },
    );
  if (pollPlannerOf(planner).kind === "rates")
    throw new TidemarkError("bad-option", `The planner ${planner} divides a budget, but ${url} has none.`, {
      hint: "Set the page requests of a visit with --budget N.",
    });
}
