import { formatElapsed, formatNoun } from "../../src/cli/terminal/quantity.ts";
import { formatTable, wrapText } from "../../src/cli/terminal/text-layout.ts";
import type { LabResult, PublishedVerdict } from "../../src/core/lab-result.ts";
import type { Experiment } from "../experiment/experiment.ts";
import { formatOurs, formatTolerance } from "./tolerance-text.ts";
import { basisWords, isGoal, type VerdictCount, verdictWords } from "./verdict-count.ts";

const widest = 100;
/** What a parameter means stands below one that takes more columns than so many. */
const widestParameter = 32;

/** An experiment as `lab list` shows it. */
export function formatExperiment(experiment: Experiment, columns: number): string {
  const { name, title, paper, about, parameters } = experiment;
  const width = Math.min(columns, widest);
  const entries = Object.entries(parameters).map(([key, parameter]) => {
    const quick = parameter.quick === undefined ? "" : ` (quick: ${parameter.quick || "none"})`;
    return { option: `  --param ${key}=${parameter.default}`, meaning: `${parameter.meaning}${quick}` };
  });
  const lengths = entries.map(({ option }) => option.length).filter((length) => length <= widestParameter);
  const indent = " ".repeat(Math.max(4, ...lengths) + 2);
  const rows = entries.map(({ option, meaning }) => {
    if (option.length <= widestParameter) return wrapText(meaning, width, option.padEnd(indent.length), indent);
    return `${wrapText(option, width, "  ", "    ")}${wrapText(meaning, width, indent, indent)}`;
  });
  return `${name}: ${title}\n${wrapText(paper, width, "  ", "  ")}${wrapText(about, width, "  ", "  ")}${rows.join("")}\n`;
}

/** A result: each published number, and each goal, beside ours, and below why it is not met. */
export function formatResult(
  { name, title, paper, rows, published, notes: said = [] }: LabResult,
  columns: number,
): string {
  const width = Math.min(columns, widest);
  const reasons = published.flatMap(({ why }) => (why === undefined ? [] : [why]));
  const notes = [...new Set(reasons)];
  const toLine = (one: PublishedVerdict): string[] => [
    `  ${verdictWords[one.verdict]}${one.why === undefined ? "" : ` [${notes.indexOf(one.why) + 1}]`}`,
    one.theirs,
    one.ours === undefined ? "-" : formatOurs(one.ours, one),
    formatTolerance(one),
    basisWords[one.basis],
    one.name,
  ];
  const toTable = (verdicts: readonly PublishedVerdict[], asked: string, what: string): string =>
    verdicts.length === 0
      ? ""
      : formatTable([["  met", asked, "ours", "tolerance", "set from", what], ...verdicts.map(toLine)], "lrrlll");
  const table = `${toTable(
    published.filter((one) => !isGoal(one)),
    "theirs",
    "published number",
  )}${toTable(published.filter(isGoal), "asked for", "our goal")}`;
  const explanations = notes.map((why, at) => wrapText(why, width, `  [${at + 1}] `, "      "));
  const remarks = said.map((note) => wrapText(note, width, "  ", "  "));
  return `${name}: ${title}, ${formatNoun(rows.length, "row")}\n${wrapText(paper, width, "  ", "  ")}${table}${explanations.join("")}${remarks.join("")}\n`;
}

/** The last line of a run. */
export function formatLabSummary(
  published: VerdictCount,
  goals: VerdictCount,
  elapsedMs: number,
  folder: string | undefined,
): string {
  const where = folder === undefined ? "--out DIR writes rows and figures" : `see ${folder}/index.html`;
  const counts = [
    `${formatNoun(published.numbers, "published number")}: ${formatCount(published)}`,
    ...(goals.numbers > 0 ? [`${formatNoun(goals.numbers, "goal")} of ours: ${formatCount(goals)}`] : []),
  ];
  return `${counts.join("; ")}; ${formatElapsed(elapsedMs)}; ${where}\n`;
}

function formatCount({ met, explained, missed, notMeasured }: VerdictCount): string {
  const parts = [`${met} met`, `${explained} explained`];
  if (missed > 0) parts.push(`${missed} missed`);
  if (notMeasured > 0) parts.push(`${notMeasured} not measured`);
  return parts.join(", ");
}
