import type { LabResult, PublishedVerdict } from "../../src/core/lab-result.ts";
import { escapeMarkup, formatNumber, formatRange } from "../../src/report/figure-text.ts";
import { pageRules } from "../../src/report/page-rules.ts";
import type { Origin } from "./row-files.ts";
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
    `<title>Tidemark: published numbers, and ours</title><style>${pageRules}</style></head>\n<body>`,
    `<h1>Published numbers, and ours</h1>`,
    `<p>Of ${describeCount(countVerdicts(results, "published"), "published numbers")}. `,
    `Of ${describeCount(countVerdicts(results, "goals"), "goals of ours, which no paper prints,")}.</p>`,
    `<p class="quiet">Made by tidemark ${escapeMarkup(version)}. Lines and dots called “Ours” are what the experiments `,
    `found; “Published” is what the papers print. A tolerance is half a step of the last digit that is printed, where chance is in ours `,
    `with two standard deviations over twelve seeds; or what a sentence says; never what we found.</p>\n`,
    ...results.map((result) => formatResult(result, drawings)),
    `</body></html>\n`,
  ].join("");
}

function describeCount({ numbers, met, explained, missed, notMeasured }: VerdictCount, what: string): string {
  const parts = [`${met} met`, `${explained} not met and explained`];
  if (missed > 0) parts.push(`${missed} missed`);
  if (notMeasured > 0) parts.push(`${notMeasured} not measured with these parameters`);
  return `${numbers} ${what} ${parts.join(", ")}`;
}

function formatResult(result: LabResult, drawings: ReadonlyMap<string, string>): string {
  const { name, title, paper, about, seed, parameters, published, figures } = result;
  const given = [`seed ${seed}`, ...Object.entries(parameters).map(([key, value]) => `${key} ${value}`)].join(", ");
  return [
    `<section id="${name}"><h2>${escapeMarkup(title)}</h2>\n`,
    `<p>${escapeMarkup(about)}</p>`,
    `<p class="quiet">${escapeMarkup(paper)}. Run with ${escapeMarkup(given)}; `,
    `rows: <a href="${name}.csv">CSV</a>, <a href="${name}.json">JSON</a>.</p>\n`,
    formatVerdicts(
      published.filter((one) => !isGoal(one)),
      "Published number",
      "Theirs",
    ),
    formatVerdicts(published.filter(isGoal), "Our goal", "Asked for"),
    ...figures.map(
      (figure) =>
        `<figure><div class="wide">${(drawings.get(figure.name) ?? "").trim()}</div><figcaption>${escapeMarkup(figure.caption)}</figcaption></figure>\n`,
    ),
    `</section>\n`,
  ].join("");
}

function formatVerdicts(verdicts: readonly PublishedVerdict[], kind: string, asked: string): string {
  if (verdicts.length === 0) return "";
  const rows = verdicts.map(({ name, where, theirs, ours, format, tolerance, basis, verdict, why }) => {
    const found = ours === undefined ? "–" : formatNumber(ours, format);
    // Below, in the table's whole width: a column of its own would be narrow on a telephone.
    const reason = why === undefined ? "" : `<tr class="why"><td colspan="5">${escapeMarkup(why)}</td></tr>\n`;
    return (
      `<tr${why === undefined ? "" : ' class="open"'}><td>${escapeMarkup(name)}<br><span class="quiet">${escapeMarkup(where)}</span></td>` +
      `<td class="n">${escapeMarkup(theirs)}</td><td class="n">${found}</td>` +
      `<td class="n">${formatRange(tolerance, format)}<br><span class="quiet">${basisWords[basis]}</span></td><td class="v ${verdict}">${verdictWords[verdict]}</td></tr>\n${reason}`
    );
  });
  const head = `<tr><th>${kind}</th><th class="n">${asked}</th><th class="n">Ours</th><th class="n">Tolerance</th><th>Met</th></tr>`;
  return `<div class="wide"><table><thead>${head}</thead><tbody>\n${rows.join("")}</tbody></table></div>\n`;
}
