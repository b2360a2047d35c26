import { printEvent, type RunContext } from "../../src/cli/terminal/command.ts";
import { type ExitCode, exitCodes } from "../../src/cli/terminal/exit-code.ts";
import { packageVersion } from "../../src/cli/terminal/package-version.ts";
import { ProgressLine } from "../../src/cli/terminal/progress-line.ts";
import { nearestWord } from "../../src/config/nearest-word.ts";
import { TidemarkError } from "../../src/core/error.ts";
import type { LabResult } from "../../src/core/lab-result.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import type { Experiment } from "../experiment/experiment.ts";
import { readParameters } from "../experiment/parameter.ts";
import { experiments } from "../experiments.ts";
import { checkLabFolder, writeLabFolder } from "./lab-folder.ts";
import { formatExperiment, formatLabSummary, formatResult } from "./lab-text.ts";
import { type LabProgress, runLab } from "./run-lab.ts";
import { countVerdicts } from "./verdict-count.ts";

/** What the command line says about the lab. */
export interface LabArguments {
  readonly action: "list" | "run" | "all";
  /** The experiment that is named; undefined for all. */
  readonly name: string | undefined;
  /** Texts by the parameter's name. */
  readonly given: ReadonlyMap<string, string>;
  readonly setting: "quick" | "whole";
  readonly seed: number;
  readonly out: string | undefined;
  readonly threads: number | undefined;
}

const barWidth = 24;

/** Lists or runs experiments; a published number that is missed without an explanation is an item that failed. */
export async function runLabCommand(options: LabArguments, context: RunContext): Promise<ExitCode> {
  return options.action === "list" ? list(options, context) : await run(options, context);
}

function chooseExperiments(name: string | undefined): readonly Experiment[] {
  const chosen = experiments.filter((one) => name === undefined || one.name === name);
  if (chosen.length > 0) return chosen;
  const names = experiments.map((one) => one.name);
  const near = nearestWord(name ?? "", names);
  throw new TidemarkError("bad-option", `Unknown experiment: ${name}.`, {
    hint: near === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${near}? See \`npm run lab -- list\`.`,
  });
}

function list({ name: chosen }: LabArguments, { out, json }: RunContext): ExitCode {
  const listed = chooseExperiments(chosen);
  for (const experiment of listed) {
    const { name, title, paper, about, parameters, columns, published } = experiment;
    if (json) out.writeJson({ event: "experiment", name, title, paper, about, parameters, columns });
    else out.write(formatExperiment(experiment, out.columns));
    if (json)
      for (const { ours: _, ...number } of published)
        out.writeJson({ event: "published", experiment: name, ...number });
  }
  if (json) out.writeJson({ event: "summary", experiments: listed.length });
  return exitCodes.done;
}

async function run(options: LabArguments, context: RunContext): Promise<ExitCode> {
  const { out, err, json, quiet, signal } = context;
  const { name: chosen, given, setting, seed, threads, out: folder } = options;
  const plans = chooseExperiments(chosen).map((experiment) => ({
    experiment,
    values: readParameters(experiment.parameters, given, setting, nearestWord),
  }));
  if (folder !== undefined) await checkLabFolder(folder);
  const progress = new ProgressLine(err, quiet);
  const startedMs = performance.now();
  let results: LabResult[];
  try {
    results = await runLab(plans, {
      seed,
      ...omitUndefined({ threads }),
      signal,
      onProgress: (state) => progress.show(() => formatProgress(state)),
    });
    if (folder !== undefined) {
      progress.show(() => `writing into ${folder}`, true);
      const files = await writeLabFolder(results, folder, { version: packageVersion(), signal });
      for (const file of files) printEvent(context, { event: "file", folder, ...file });
    }
  } finally {
    progress.clear();
  }
  const count = countVerdicts(results, "published");
  const goals = countVerdicts(results, "goals");
  const elapsedMs = Math.round(performance.now() - startedMs);
  for (const result of results) {
    if (!json) {
      if (!quiet) out.write(formatResult(result, out.columns));
      continue;
    }
    const { name } = result;
    for (const row of result.rows) printEvent(context, { event: "row", experiment: name, row });
    for (const { ours, ...number } of result.published)
      printEvent(context, { event: "published", experiment: name, ...number, ours: ours ?? null });
    for (const text of result.notes ?? []) printEvent(context, { event: "note", experiment: name, text });
  }
  if (json) out.writeJson({ event: "summary", experiments: results.length, published: count, goals, seed, elapsedMs });
  else if (!quiet) out.write(formatLabSummary(count, goals, elapsedMs, folder));
  return count.missed + goals.missed > 0 ? exitCodes.itemsFailed : exitCodes.done;
}

function formatProgress({ experiment, point, pointsDone, points, share }: LabProgress): string {
  const full = Math.round(share * barWidth);
  const bar = `[${"#".repeat(full)}${".".repeat(barWidth - full)}]`;
  return `${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${pointsDone} of ${points}  ${experiment}: ${point}`;
}
