import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import {
  freshnessCurve,
  leastAgeCurve,
  proportionalCurve,
  randomFreshnessCurve,
  uniformCurve,
} from "../../src/crawler/engine/revisit/optimum.ts";
import { expectedAgeSeconds, expectedFreshness } from "../../src/crawler/engine/revisit/poll-index.ts";
import { type PollCurve, planByPrice } from "../../src/crawler/engine/revisit/price-search.ts";
import { inputOf, intervalBars } from "../brandman/change-intervals.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { refreshPaper } from "../experiment/papers.ts";
import { asRounded, type PublishedNumber } from "../experiment/published.ts";

/** A policy that divides polls, as figures call it. */
interface Policy {
  readonly name: string;
  readonly title: string;
  readonly curve: PollCurve;
}

const policies: readonly Policy[] = [
  { name: "uniform", title: "uniform", curve: uniformCurve },
  { name: "proportional", title: "proportional", curve: proportionalCurve },
  { name: "freshest", title: "freshest", curve: freshnessCurve },
  { name: "least-age", title: "least age", curve: leastAgeCurve },
  { name: "random", title: "best at random instants", curve: randomFreshnessCurve },
];

/** Pages of which so much is known: kinds, changes a day of each, and its share of all. */
interface PageMix {
  readonly ratesPerDay: readonly number[];
  readonly shares: readonly number[];
  readonly pollsPerDay: number;
}

const rowsOf = (rows: readonly LabRow[], pages: string, policy: string): LabRow[] =>
  rows.filter((row) => row.pages === pages && row.policy === policy);

/** The mean of a column over all pages; undefined where there is none. */
function meanOf(rows: readonly LabRow[], pages: string, policy: string, column: string): number | undefined {
  const own = rowsOf(rows, pages, policy);
  if (own.length === 0 || own.some((row) => row[column] === null)) return undefined;
  return own.reduce((sum, row) => sum + Number(row.share) * Number(row[column]), 0);
}

const whereTable = "section 5, the web of 1999 at a poll a page and month";
const whereFive = "section 4, five pages";

function publishedMean(
  policy: string,
  column: "freshness" | "age",
  theirs: string,
  step: number,
  explanation?: PublishedNumber["explanation"],
): PublishedNumber {
  return {
    name: `${column === "age" ? "age in days" : "freshness"}, ${policy}`,
    where: whereTable,
    theirs,
    format: "number",
    tolerance: asRounded(Number(theirs), step),
    ours: (rows) => meanOf(rows, "histogram", policy, column),
    ...(explanation && { explanation }),
  };
}

const printedPolls = [1.15, 1.36, 1.35, 1.14, 0] as const;

/** How polls are divided, and what comes of it: the fixture that every planner is measured by. */
export const refreshExperiment: Experiment = defineExperiment({
  name: "refresh",
  title: "Refresh policies",
  paper: `${refreshPaper}, sections 4 and 5`,
  about:
    "Pages change by chance at known rates, and each is polled at equal intervals: all alike, in proportion to their changes, so that copies " +
    "are freshest, so that they are least old, and by the rates of Azar et al. (PNAS 2018), which are best if polls come at random instants. " +
    "The first pages are the histogram of 1999 at its bars' ends, the others change 1 to 5 times a day.",
  parameters: {
    polls: { kind: "number", default: 1, min: 0.001, max: 10_000, meaning: "polls a page and month, of the histogram" },
    month: { kind: "number", default: 30, min: 1, max: 400, meaning: "days of a month" },
    slowest: { kind: "number", default: 365, min: 120, max: 100_000, meaning: "longest change interval, in days" },
    visits: { kind: "number", default: 5, min: 0.01, max: 1000, meaning: "polls a day of the five pages" },
  },
  columns: [
    { name: "pages", meaning: "histogram, or five" },
    { name: "policy", meaning: "how polls are divided" },
    { name: "changes", meaning: "changes a day of a page" },
    { name: "share", meaning: "share of the pages that change so often, 0 to 1" },
    { name: "polls", meaning: "polls a day of a page" },
    { name: "freshness", meaning: "share of time in which its copy is as the page, 0 to 1" },
    { name: "age", meaning: "mean days since the copy became another; none for a page that is never polled" },
  ],
  published: [
    publishedMean("uniform", "freshness", "0.57", 0.01),
    publishedMean("proportional", "freshness", "0.12", 0.01, {
      expected: [0.125, 0.135],
      why: "Its freshness is that of the slowest bar, whose pages are said to change less often than every 4 months and are taken to at 365 days.",
    }),
    publishedMean("freshest", "freshness", "0.62", 0.01),
    publishedMean("uniform", "age", "5.6", 0.1),
    publishedMean("proportional", "age", "400", 100),
    publishedMean("least-age", "age", "4.3", 0.1),
    ...printedPolls.map(
      (polls, at): PublishedNumber => ({
        name: `polls a day at a change rate of ${at + 1} a day`,
        where: whereFive,
        theirs: polls.toFixed(2),
        format: "number",
        tolerance: asRounded(polls, 0.01),
        ours: (rows) => {
          const row = rowsOf(rows, "five", "freshest")[at];
          return row === undefined ? undefined : Number(row.polls);
        },
      }),
    ),
    {
      name: "freshness by the rates of Azar et al. at equal intervals, by the best",
      where: "Azar et al., abstract",
      theirs: "99 %",
      format: "percent",
      tolerance: asRounded(0.99, 0.01),
      ours: (rows) => {
        const [azar, best] = ["random", "freshest"].map((name) => meanOf(rows, "histogram", name, "freshness"));
        return azar === undefined || best === undefined ? undefined : azar / best;
      },
    },
  ],
  points: () => [{ name: "histogram" }, { name: "five" }],
  run: ({ name }, { polls, month, slowest, visits }) => {
    const mix: PageMix =
      name === "five"
        ? { ratesPerDay: [1, 2, 3, 4, 5], shares: [0.2, 0.2, 0.2, 0.2, 0.2], pollsPerDay: visits / 5 }
        : {
            ratesPerDay: intervalBars.map(
              ({ toDays }, bar) => 1 / (bar === intervalBars.length - 1 ? slowest : toDays),
            ),
            shares: inputOf("cho").shares,
            pollsPerDay: polls / month,
          };
    return policies.flatMap((policy) => divide(name, policy, mix));
  },
  figures: (rows) => [drawFreshness(rows), drawAges(rows), drawPolls(rows)],
});

function divide(pages: string, { name, curve }: Policy, { ratesPerDay, shares, pollsPerDay }: PageMix): LabRow[] {
  const weights = ratesPerDay.map(() => 1);
  const plan = planByPrice(curve, { ratesPerSecond: ratesPerDay, weights, counts: shares }, pollsPerDay);
  return ratesPerDay.map((rate, at) => {
    const polls = plan.pollsPerSecond[at] ?? 0;
    const age = expectedAgeSeconds(rate, polls);
    return {
      pages,
      policy: name,
      changes: rate,
      share: shares[at] ?? 0,
      polls,
      freshness: expectedFreshness(rate, polls),
      age: Number.isFinite(age) ? age : null,
    };
  });
}

function drawFreshness(rows: readonly LabRow[]): Figure {
  return {
    name: "refresh-freshness",
    title: "Freshness by refresh policy",
    caption: "Share of fresh copies on the web of 1999, a poll a page and month. Cho and Garcia-Molina, section 5.",
    x: { label: "Policy", kind: "names" },
    y: { label: "Fresh copies", kind: "linear", format: "percent" },
    marks: [
      {
        kind: "bars",
        of: "ours",
        name: "fresh copies",
        points: policies.map(({ name, title }) => ({ x: title, y: meanOf(rows, "histogram", name, "freshness") ?? 0 })),
      },
      {
        kind: "dots",
        of: "theirs",
        name: "as printed",
        points: [
          { x: "uniform", y: 0.57 },
          { x: "proportional", y: 0.12 },
          { x: "freshest", y: 0.62 },
        ],
      },
    ],
  };
}

function drawAges(rows: readonly LabRow[]): Figure {
  const points = policies.flatMap(({ name, title }) => {
    const age = meanOf(rows, "histogram", name, "age");
    return age === undefined ? [] : [{ x: title, y: age }];
  });
  return {
    name: "refresh-ages",
    title: "Age by refresh policy",
    caption:
      "Mean age of copies on the same pages. A policy that never polls some of them has none. Cho and Garcia-Molina, section 5.",
    x: { label: "Policy", kind: "names" },
    y: { label: "Age, in days", kind: "log", domain: [1, 1000] },
    marks: [
      {
        kind: "dots",
        of: "theirs",
        name: "as printed",
        points: [
          { x: "uniform", y: 5.6 },
          { x: "proportional", y: 400 },
          { x: "least age", y: 4.3 },
        ],
      },
      { kind: "dots", of: "ours", name: "age", points },
    ],
  };
}

function drawPolls(rows: readonly LabRow[]): Figure {
  return {
    name: "refresh-polls",
    title: "Polls of five pages",
    caption:
      "How 5 polls a day are divided among pages that change 1 to 5 times a day. Cho and Garcia-Molina, section 4.",
    x: { label: "Changes a day", kind: "linear", domain: [0.5, 5.5] },
    y: { label: "Polls a day", kind: "linear" },
    marks: [
      ...policies.map(({ name, title }) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: title,
        points: rowsOf(rows, "five", name).map((row) => ({ x: Number(row.changes), y: Number(row.polls) })),
      })),
      {
        kind: "dots",
        of: "theirs",
        name: "freshest, as printed",
        points: printedPolls.map((polls, at) => ({ x: at + 1, y: polls })),
      },
    ],
  };
}
