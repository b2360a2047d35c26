import { resolve } from "node:path";
import { omitUndefined, wrapSystemError } from "../../core/index.ts";
import type { DailyBudget } from "../../crawler/index.ts";
import { readPlannerForecasts } from "../../crawler/index.ts";
import { writeTextFile } from "../../fs/index.ts";
import { drawFigure } from "../../report/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { ProgressLine } from "../terminal/progress-line.ts";
import { formatCount } from "../terminal/quantity.ts";
import { curveShares, figureOf } from "./plan-figure.ts";
import { formatForecasts } from "./plan-text.ts";

/** What the command line says about a plan. */
export interface PlanArguments {
  readonly store: string;
  readonly url?: string;
  /** Default: 5 % of the pages. */
  readonly budget?: DailyBudget;
  readonly freshness?: number;
  readonly figure?: string;
}

/** Tells what planners would do with a crawler's pages. */
export async function runPlan(options: PlanArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet } = context;
  const { store, url, budget = { share: 0.05 }, freshness, figure } = options;
  const progress = new ProgressLine(err, quiet);
  let forecasts: ReturnType<typeof readPlannerForecasts>;
  try {
    forecasts = readPlannerForecasts({
      store,
      budget,
      ...omitUndefined({ url, freshness, curveShares: figure === undefined ? undefined : curveShares }),
      onProgress: (pages) => progress.show(() => `${formatCount(pages)} pages`),
    });
  } finally {
    progress.clear();
  }
  if (figure !== undefined) {
    const file = resolve(figure);
    try {
      await writeTextFile(file, await drawFigure(figureOf(forecasts)), { overwrite: true });
    } catch (error) {
      throw wrapSystemError(error, `write ${file}`, { file });
    }
  }
  if (json) {
    const { planners, ...summary } = forecasts;
    for (const { curve: _, ...planner } of planners) out.writeJson({ event: "planner-forecast", ...planner });
    out.writeJson({ event: "summary", ...summary, ...omitUndefined({ figure }) });
  } else if (!quiet) out.write(formatForecasts(forecasts, freshness));
  return exitCodes.done;
}
