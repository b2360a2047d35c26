import type { LabResult, PublishedVerdict } from "../../src/core/lab-result.ts";
import { escapeMarkup } from "../../src/report/figure-text.ts";
import { pageRules } from "../../src/report/page-rules.ts";
import type { Origin } from "./row-files.ts";
import { formatOurs, formatTolerance } from "./tolerance-text.ts";
import { basisWords, countVerdicts, isGoal, type VerdictCount, verdictWords } from "./verdict-count.ts";

/**
 * Everything about some results in one page that needs nothing from elsewhere: the published numbers beside ours, and each
 * figure.
 *
 * @param drawings - SVG by the figure's name
 */
export function formatPage(
  results: readonly LabResult[],
  drawings: ReadonlyMap<string, string>,
  { version }: Origin,
): string {
  return [
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`,
    `<title>Tidemark: published numbers, and ours</title><style>${pageRules}</style></head>\n<body><main>`,
    `<h1>Published numbers, and ours</h1>`,
    `<p>Published numbers: ${describeCount(countVerdicts(results, "published"))}. `,
    `Goals of ours, which no paper prints: ${describeCount(countVerdicts(results, "goals"))}.</p>`,
    `<p class="quiet">Made by tidemark ${escapeMarkup(version)}. In the figures, “Ours” is what the experiments found, and “Published” what the `,
    `papers print. Tolerances do not depend on our results. As printed: half a step of the last printed digit. As printed, and `,
    `seeds: two standard deviations of ours over twelve seeds more. As worded: what a sentence of the paper says.</p>\n`,
    formatContents(results),
    ...results.map((result) => formatResult(result, drawings)),
    `</main></body></html>\n`,
  ].join("");
}

/** A list of links to the results, each with how many of its numbers are met. */
function formatContents(results: readonly LabResult[]): string {
  const entries = results.map((result) => {
    const counts = (["published", "goals"] as const).map((kind) => countVerdicts([result], kind));
    const [met, numbers] = [counts.reduce((sum, one) => sum + one.met, 0), result.published.length];
    const said = numbers === 0 ? "" : ` <span class="quiet">${met} of ${numbers} met</span>`;
    return `<li><a href="#${result.name}">${escapeMarkup(result.title)}</a>${said}</li>\n`;
  });
  return `<nav aria-label="Experiments"><ol>\n${entries.join("")}</ol></nav>\n`;
}

function describeCount({ numbers, met, explained, missed, notMeasured }: VerdictCount): string {
  const parts = [`${met} of ${numbers} met`, `${explained} not met and explained`];
  if (missed > 0) parts.push(`${missed} missed`);
  if (notMeasured > 0) parts.push(`${notMeasured} not measured with these parameters`);
  return parts.join(", ");
}

function formatResult(result: LabResult, drawings: ReadonlyMap<string, string>): string {
  const { name, title, paper, about, seed, parameters, published, figures } = result;
  const said = Object.entries(parameters).filter(([, value]) => value !== "");
  const given = [`seed ${seed}`, ...said.map(([key, value]) => `${key} ${value}`)].join(", ");
  return [
    `<section id="${name}"><h2>${escapeMarkup(title)}</h2>\n`,
    `<p>${escapeMarkup(about)}</p>`,
    `<p class="quiet">${escapeMarkup(paper)}. Run with ${escapeMarkup(given)}; `,
    `rows: <a href="${name}.csv">CSV</a>, <a href="${name}.json">JSON</a>.</p>\n`,
    formatVerdicts(
      published.filter((one) => !isGoal(one)),
      "Published numbers",
      "Theirs",
    ),
    formatVerdicts(published.filter(isGoal), "Goals of ours", "Asked for"),
    ...figures.map(
      (figure) =>
        `<figure><div class="wide" role="group" tabindex="0" aria-label="${escapeMarkup(figure.title)}">${(drawings.get(figure.name) ?? "").trim()}</div><figcaption>${escapeMarkup(figure.caption)}</figcaption></figure>\n`,
    ),
    `</section>\n`,
  ].join("");
}

function formatVerdicts(verdicts: readonly PublishedVerdict[], kind: string, asked: string): string {
  if (verdicts.length === 0) return "";
  const bodies = verdicts.map((one) => {
    const { name, where, theirs, ours, basis, verdict, why } = one;
    const found = ours === undefined ? "–" : formatOurs(ours, one);
    const reason = why === undefined ? "" : `<tr class="why"><td colspan="4">${escapeMarkup(why)}</td></tr>\n`;
    // The name has a line of its own: a column of it would be narrow on a telephone.
    return (
      `<tbody><tr><th colspan="4" scope="rowgroup">${escapeMarkup(name)} <span class="quiet">${escapeMarkup(where)}</span></th></tr>\n` +
      `<tr><td>${escapeMarkup(theirs)}</td><td>${found}</td>` +
      `<td>${formatTolerance(one)}<br><span class="quiet">${basisWords[basis]}</span></td>` +
      `<td class="${verdict}">${verdictWords[verdict]}</td></tr>\n${reason}</tbody>\n`
    );
  });
  const columns = [asked, "Ours", "Tolerance", "Met"].map((column) => `<th scope="col">${column}</th>`);
  return `<h3>${kind}</h3>\n<table class="verdicts"><thead><tr>${columns.join("")}</tr></thead>\n${bodies.join("")}</table>\n`;
}
