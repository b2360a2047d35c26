import { TidemarkError } from "../../src/core/error.ts";
import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { daySeconds } from "../brandman/history-days.ts";
import { makeHistory } from "../brandman/made-history.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { asGoal, asRounded, type PublishedNumber, type Tolerance } from "../experiment/published.ts";
import { boundMean } from "./confidence.ts";
import { labelOf, players } from "./league-players.ts";
import { bestFreshness, scenes, timeOf } from "./league-scenes.ts";
import { runLeague } from "./run-league.ts";

const where = "histogram of 1999, a visit a page and month";

function freshnessOf(scene: string, label: string) {
  return (rows: readonly LabRow[]): number | undefined => {
    const row = rows.find((one) => one.scene === scene && one.planner === label);
    return row === undefined ? undefined : Number(row.freshness);
  };
}

/** Standard deviation of a freshness over twelve seeds, with the quick parameters. */
const spread = 0.005;

/** What is asked of planners on the five bars, the first two as Cho and Garcia-Molina print them. */
const known: ReadonlyArray<readonly [name: string, label: string, theirs: string, tolerance: Tolerance]> = [
  ["exact optimum", "optimum-known", "0.62", asRounded(0.62, 0.01, spread)],
  ["uniform visits", "round-robin", "0.57", asRounded(0.57, 0.01, spread)],
  ["Azar's rates at even intervals, 99 % of the optimum", "azar-known", "0.611", asGoal(0.599, 0.622)],
  ["greedy index, known rates", "index-known", "0.617", asGoal(0.605, 0.628)],
  ["StormCrawler's rule", "storm", "0.579", asGoal(0.565, 0.593)],
  ["Nutch's rule", "nutch", "0.525 to 0.557", asGoal(0.515, 0.567)],
  ["greedy index, rates estimated one by one", "index", "0.588", asGoal(0.575, 0.6)],
];

const rivals = ["round-robin", "nutch", "storm", "index"];
const eachOf = ({ each }: LabRow): number[] => String(each).split(" ").map(Number);

/** Of fewer webs neither a mean nor its bounds are judged: bounds of two are 13 standard errors wide. */
const leastWebs = 10;

/** A planner's freshness by the optimum with known rates, in the mean over enough webs. */
function shareOf(label: string) {
  return (rows: readonly LabRow[]): number | undefined => {
    const row = rows.find((one) => one.scene === "poisson" && one.planner === label);
    return row === undefined || eachOf(row).length < leastWebs ? undefined : Number(row.share);
  };
}

/** Whether a rival is told more than the crawler's planner: the index takes signals in, of which that one knows nothing. */
const isToldMore = ({ scene, planner }: LabRow): boolean =>
  planner === "index" && (scene === "noisy" || scene === "lying");

/** Upper bound of the crawler's planner's lead over what others plan, web by web, where that is least. */
function leastLead(isRival: (row: LabRow) => boolean) {
  return (rows: readonly LabRow[]): number | undefined => {
    const leads = rows
      .filter((row) => row.planner === "default" && eachOf(row).length >= leastWebs)
      .flatMap((row) => {
        const own = eachOf(row);
        return rows
          .filter((rival) => rival.scene === row.scene && rivals.includes(String(rival.planner)) && isRival(rival))
          .map((rival) => boundMean(eachOf(rival).map((freshness, at) => (own[at] ?? 0) - freshness)).high);
      });
    return leads.length === 0 ? undefined : Math.min(...leads);
  };
}

const ofBars: readonly PublishedNumber[] = [
  ...known.map(
    ([name, label, theirs, tolerance]): PublishedNumber => ({
      name,
      where,
      theirs,
      format: "number",
      tolerance,
      ours: freshnessOf("poisson", label),
    }),
  ),
  {
    name: "visits in proportion to rates",
    where,
    theirs: "0.12",
    format: "number",
    tolerance: asRounded(0.12, 0.01, spread),
    ours: freshnessOf("poisson", "proportional-known"),
    explanation: {
      expected: [0.12, 0.23],
      why:
        "Pages that are known to change once a year would be visited once in seven years: in two years each is still as fresh as its " +
        "first copy left it, and the formula is of visits without end.",
    },
  },
  {
    name: "learned rates by the optimum with known ones",
    where,
    theirs: "at least 97 %",
    format: "percent",
    tolerance: asGoal(0.97, 1.02),
    ours: shareOf("learning"),
  },
  {
    name: "the crawler's planner by the optimum with known rates",
    where,
    theirs: "at least 97 %",
    format: "percent",
    tolerance: asGoal(0.97, 1.02),
    ours: shareOf("default"),
  },
];

const published: readonly PublishedNumber[] = [
  ...ofBars.map((number) => ({ ...number, isOfMadeData: true })),
  {
    name:
      "upper bound of 95 % confidence of the crawler's planner's least lead over Nutch's and StormCrawler's rules, visits in turn and the " +
      "index of estimated rates",
    where: "every scene, of those that are told as much",
    theirs: "behind by no more than noise",
    format: "percent",
    tolerance: asGoal(0, 1),
    ours: leastLead((rival) => !isToldMore(rival)),
  },
  {
    name: "the same over the index of estimated rates that is told of signals",
    where: "scenes noisy and lying",
    theirs: "behind by no more than noise",
    format: "percent",
    tolerance: asGoal(0, 1),
    ours: leastLead(isToldMore),
    explanation: {
      expected: [-0.03, 0],
      why: "Six changes in ten send a signal in noisy. The index visits such pages at once; the crawler's planner is told of none.",
    },
  },
];

function draw(rows: readonly LabRow[], scene: string, place: number): Figure {
  const own = rows.filter((row) => row.scene === scene).toSorted((a, b) => Number(b.freshness) - Number(a.freshness));
  const points = own.map(({ planner, freshness, low, high, seeds }) => ({
    ...{ x: String(planner), y: Number(freshness) },
    // Of two webs the bounds are wider than the figure.
    ...(Number(seeds) > 2 && { range: [Math.max(0, Number(low)), Math.min(1, Number(high))] as const }),
  }));
  return {
    name: `planners-${place}`,
    title: `Freshness by planner: ${scenes[scene]?.title ?? scene}`,
    caption:
      "Mean share of copies that are as their pages, best first, and, of more than two webs, error bars of 95 % confidence. Planners of rates that are told the true " +
      "ones end in known.",
    x: { label: "Planner", kind: "names" },
    y: { label: "Fresh copies", kind: "linear", format: "percent", domain: [0, 1] },
    marks: [{ kind: "bars", of: "ours", name: "mean of all webs", points }],
  };
}

const namesOf = (text: string): string[] => text.split(",").filter((name) => name !== "");

/** A league of all planners. */
export const plannerExperiment: Experiment = defineExperiment({
  name: "planners",
  title: "A league of planners",
  paper:
    "Cho, Garcia-Molina, Effective Page Refresh Policies for Web Crawlers, TODS 2003; Azar et al., PNAS 2018; Kolobov et al., " +
    "NeurIPS 2019; Busa-Fekete et al., arXiv 2502.02430, 2025; Edwards, McCurley, Tomlin, WWW 2001; the rules of Nutch and StormCrawler",
  about:
    "All planners of visits make as many visits as the same budget allows, on the same pages, whose every change is known. The first half of " +
    "the time is for learning, and freshness counts in the second. Planners of rates are told the true ones, or what is estimated " +
    "from their own visits; `learning` is told nothing. A history that is given takes the place of one that is made up.",
  parameters: {
    pages: {
      kind: "whole",
      default: 1000,
      quick: 300,
      min: 20,
      max: 1_000_000,
      meaning: "pages of the scene poisson",
    },
    others: { kind: "whole", default: 300, quick: 80, min: 20, max: 1_000_000, meaning: "pages of each other scene" },
    days: { kind: "whole", default: 720, min: 20, max: 10_000, meaning: "days, the first half of them to learn" },
    every: {
      kind: "number",
      default: 30,
      min: 0.1,
      max: 1000,
      meaning: "days in which the budget could visit each page once",
    },
    seeds: { kind: "whole", default: 20, quick: 2, min: 1, max: 1000, meaning: "webs of each scene" },
    window: { kind: "number", default: 1, quick: 4, min: 0.01, max: 100, meaning: "days that are planned at once" },
    scenes: {
      kind: "choices",
      choices: Object.keys(scenes),
      default: Object.keys(scenes).join(","),
      // Rates that are estimated of pages that signal take longest: no two pages are alike.
      quick: "poisson,bursty,working,budget,drift,reshuffled,articles,pareto,periodic,history",
      meaning: "scenes, a comma between",
    },
    planners: {
      kind: "choices",
      choices: players.map((player) => labelOf(player)),
      default: "",
      // Those that take longest are left out.
      quick: "round-robin,nutch,storm,optimum-known,azar-known,index-known,index,learning,default",
      meaning: "planners, a comma between; all if empty",
    },
    history: {
      kind: "text",
      isOwnData: true,
      default: "",
      meaning: "gzip'd files of a line an event, a comma between: seconds, A, M or D, bytes, path, TAB between",
    },
  },
  columns: [
    { name: "planner", meaning: "which; ends in known if it is told the true rates" },
    { name: "scene", meaning: "how pages change, or the number of the history from 1" },
    { name: "rates", meaning: "known, learned from the visits, or none needed" },
    { name: "freshness", meaning: "mean share of copies that are as their pages, 0 to 1" },
    { name: "low", meaning: "lower bound of 95 % confidence" },
    { name: "high", meaning: "upper bound of 95 % confidence" },
    { name: "seeds", meaning: "webs" },
    { name: "each", meaning: "freshness of each web, a space between; all planners of a scene have the same webs" },
    {
      name: "share",
      meaning:
        "freshness by the best of visits at equal intervals at known rates, without signals, for changes at random",
    },
    { name: "share-low", meaning: "lower bound of 95 % confidence of the share" },
    { name: "share-high", meaning: "upper bound of 95 % confidence of the share" },
    { name: "used", meaning: "share of the budget that was spent" },
  ],
  published,
  points: ({ scenes: wanted, planners, history }) => {
    const files = namesOf(history);
    const places = namesOf(wanted).flatMap((scene) =>
      scene === "history" ? Array.from({ length: Math.max(1, files.length) }, (_, at) => `history-${at + 1}`) : [scene],
    );
    const labels = namesOf(planners);
    return places.flatMap((place) =>
      players
        .map((player) => labelOf(player))
        .filter((label) => labels.length === 0 || labels.includes(label))
        .map((label) => ({
          name: `${place}/${label}`,
          weight: (label.startsWith("learning") || label.startsWith("cycle") ? 4 : 1) * (place === "poisson" ? 3 : 1),
        })),
    );
  },
  run: async ({ name }, values, { seed, ports, onProgress }) => {
    const [place = "", label] = name.split("/");
    const player = players.find((one) => labelOf(one) === label);
    const [sceneName = "", number] = place.split("-");
    const scene = scenes[sceneName];
    if (player === undefined || scene === undefined) return [];
    const seconds = values.days * daySeconds;
    const pages = place === "poisson" ? values.pages : values.others;
    const file = namesOf(values.history)[Number(number) - 1];
    const found: { freshness: number; share: number; used: number }[] = [];
    const real = file === undefined ? undefined : await ports.readHistory(file);
    for (let turn = 0; turn < values.seeds; turn++) {
      // All planners of a scene have the same webs.
      const random = createRandom(seed, "planners", place, turn);
      const events = sceneName === "history" ? (real ?? makeHistory(pages, values.days, seed + turn)) : [];
      const web = scene.make({ pages, seconds, events }, random);
      const time = timeOf(scene, web, seconds, values.every);
      // Pages are in the order of their birth.
      if (file !== undefined && !((web.bornAt[0] ?? seconds) <= time.countFromSeconds))
        throw new TidemarkError("bad-option", `${file} is too short: no page of it is there for half of the days.`, {
          hint: `Choose a longer history, or fewer days than --param days=${values.days}.`,
        });
      const trial = { ...time, windowSeconds: values.window * daySeconds, isLearned: player.rates === "learned" };
      const { freshness, visits, allowed } = runLeague(player.make(), web, trial);
      found.push({ freshness, share: freshness / bestFreshness(web, time), used: visits / Math.max(1, allowed) });
      onProgress((turn + 1) / values.seeds);
    }
    const { mean, low, high } = boundMean(found.map(({ freshness }) => freshness));
    const share = boundMean(found.map(({ share }) => share));
    return [
      {
        planner: labelOf(player),
        scene: place,
        rates: player.rates,
        freshness: mean,
        low,
        high,
        seeds: values.seeds,
        each: found.map(({ freshness }) => freshness.toPrecision(9)).join(" "),
        share: share.mean,
        "share-low": share.low,
        "share-high": share.high,
        used: boundMean(found.map(({ used }) => used)).mean,
      },
    ];
  },
  notes: (rows) =>
    rows
      .filter(({ scene, planner }) => scene === "poisson" && ["default", "learning"].includes(String(planner)))
      .map((row) => {
        const [mean, low, high] = ["share", "share-low", "share-high"].map((name) =>
          (100 * Number(row[name])).toFixed(2),
        );
        return `${row.planner} comes to ${mean} % (${low} to ${high}, 95 % confidence, ${row.seeds} webs) of the optimum with known rates.`;
      }),
  figures: (rows) => [...new Set(rows.map(({ scene }) => String(scene)))].map((scene, at) => draw(rows, scene, at + 1)),
});
