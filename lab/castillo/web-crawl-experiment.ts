import type { Figure, LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { groupBy } from "../experiment/group-by.ts";
import type { CrawledPage } from "../experiment/ports.ts";
import { asWorded, near, type PublishedNumber } from "../experiment/published.ts";
import { castilloPaper } from "./crawl-parameters.ts";
import { correlate, findDepths } from "./page-depths.ts";
import type { RankedWeb } from "./rank-coverage.ts";
import { drawKind, isWebKind, kindParameters, type WebKind } from "./web-kinds.ts";

const where = "section 7, Figures 8 to 10";
const days = 8;
/** Rows of a day. */
const steps = 10;
/** From so many clicks on the paper finds no correlation. */
const deep = 4;
/** Of fewer pages a correlation says nothing. */
const fewestDeep = 30;

type Part = "sites" | "days" | "depths" | "deep";

const partOf = (rows: readonly LabRow[], kind: WebKind, part: Part): LabRow[] =>
  rows.filter((row) => row.kind === kind && row.part === part);

/** The mean over all webs of a kind of what each gives. */
function meanOf(
  rows: readonly LabRow[],
  kind: WebKind,
  part: Part,
  of: (rows: readonly LabRow[]) => number | undefined,
): number | undefined {
  const webs = groupBy(partOf(rows, kind, part), (row) => row.web);
  const values = [...webs.values()].map(of);
  if (values.length === 0 || values.includes(undefined)) return undefined;
  return (values as number[]).reduce((sum, value) => sum + value, 0) / values.length;
}

/** What there is of one of the columns of days once there is so much of another. */
const valueWhere =
  (least: number, of: "x" | "pages", what: "pages" | "rank") =>
  (rows: readonly LabRow[]): number | undefined => {
    const row = rows.find((one) => Number(one[of]) >= least - 1e-9);
    return row === undefined ? undefined : Number(row[what]);
  };

/** Rank of a page in some rows, by that of any page, in the mean. */
function meanRank(rows: readonly LabRow[]): number | undefined {
  const sum = (what: "pages" | "rank"): number => rows.reduce((total, row) => total + Number(row[what]), 0);
  return sum("pages") === 0 ? undefined : sum("rank") / sum("pages");
}

/** Rank of a page that was retrieved from one time to another, by that of any page. */
function meanRankOfDays(rows: readonly LabRow[], from: number, to: number): number | undefined {
  const between = (what: "pages" | "rank"): number =>
    (valueWhere(to, "x", what)(rows) ?? 0) - (from === 0 ? 0 : (valueWhere(from, "x", what)(rows) ?? 0));
  return between("pages") === 0 ? undefined : between("rank") / between("pages");
}

const unequal =
  "Ranks of generated webs are less unequal: the note says what the best pages have that there are, and " +
  "no order can retrieve more.";

const speed =
  "How soon the crawl runs out of sites, and only the largest are left, depends on how fast sites answer, which the paper does not print; here " +
  "all answer equally fast.";

const numbersOf = (kind: WebKind): readonly PublishedNumber[] => {
  const pagesBy = (day: number) => (rows: readonly LabRow[]) =>
    meanOf(rows, kind, "days", valueWhere(day, "x", "pages"));
  const rankWith = (pages: number) => (rows: readonly LabRow[]) =>
    meanOf(rows, kind, "days", valueWhere(pages, "pages", "rank"));
  const share = { where, format: "percent" as const };
  return [
    {
      ...share,
      name: `pages by the end of day 2 of 8, ${kind}`,
      theirs: "50 %",
      tolerance: asWorded(0.5 - near, 0.5 + near),
      ours: pagesBy(2),
      explanation: { expected: [0.2, 0.9], why: speed },
    },
    {
      ...share,
      name: `PageRank of the first 50 % of the pages, ${kind}`,
      theirs: "about 80 %",
      tolerance: asWorded(0.8 - near, 0.8 + near),
      ours: rankWith(0.5),
      explanation: { expected: [0.4, 0.75], why: unequal },
    },
    {
      ...share,
      name: `pages by the end of day 4 of 8, ${kind}`,
      theirs: "80 %",
      tolerance: asWorded(0.8 - near, 0.8 + near),
      ours: pagesBy(4),
      explanation: { expected: [0.4, 1], why: speed },
    },
    {
      ...share,
      name: `PageRank of the first 80 % of the pages, ${kind}`,
      theirs: "more than 95 %",
      tolerance: asWorded(0.95, 1),
      ours: rankWith(0.8),
      explanation: { expected: [0.75, 0.95], why: unequal },
    },
    {
      ...share,
      format: "number",
      name: `rank of a page of days 5 to 8, by one of day 1, ${kind}`,
      theirs: "decreased dramatically after a few days",
      tolerance: asWorded(0, 0.5),
      ours: (rows) =>
        meanOf(rows, kind, "days", (of) => {
          const [first, last] = [meanRankOfDays(of, 0, 1), meanRankOfDays(of, days / 2, days)];
          return first === undefined || last === undefined ? undefined : last / first;
        }),
      explanation: { expected: [0.5, 1], why: unequal },
    },
    {
      ...share,
      format: "number",
      name: `rank of a home page by that of any page, ${kind}`,
      theirs: "in average low",
      tolerance: asWorded(0, 1),
      ours: (rows) => meanOf(rows, kind, "depths", (of) => meanRank(of.filter((row) => row.x === 0))),
      explanation: {
        expected: [1, 20],
        why: "This kind of web has menus that lead to home pages; the paper's home pages had few or no links to them.",
      },
    },
    {
      ...share,
      format: "number",
      name: `rank at 3 clicks by that at 1 click, ${kind}`,
      theirs: "an inverse relation in the first few levels",
      tolerance: asWorded(0, 1),
      ours: (rows) =>
        meanOf(rows, kind, "depths", (of) => {
          const [first, third] = [1, 3].map((depth) => meanRank(of.filter((row) => row.x === depth)));
          return first === undefined || third === undefined ? undefined : third / first;
        }),
    },
    {
      ...share,
      format: "number",
      name: `correlation of depth and rank from ${deep} clicks on, ${kind}`,
      theirs: "very low",
      tolerance: asWorded(-0.1, 0.1),
      ours: (rows) => meanOf(rows, kind, "deep", ([row]) => (typeof row?.rank === "number" ? row.rank : undefined)),
      explanation: {
        expected: [-0.5, -0.1],
        why: "Links of generated sites lead to pages near the home page throughout, so that ranks go on to fall with depth.",
      },
    },
  ];
};

/** Counts pages and their rank by a number that each page has. */
function* groupPages(
  pages: readonly number[],
  ranked: RankedWeb,
  of: (page: number) => number,
): Generator<{ readonly x: number; readonly pages: number; readonly rank: number }, void, void> {
  const groups = groupBy(pages, of);
  for (const x of [...groups.keys()].toSorted((one, other) => one - other)) {
    const group = groups.get(x) ?? [];
    const rank = group.reduce((sum, page) => sum + (ranked.ranks[page] as number), 0);
    yield { x, pages: group.length / ranked.web.pages, rank };
  }
}

function measure(crawled: readonly CrawledPage[], ranked: RankedWeb) {
  const { web, ranks } = ranked;
  const pages = crawled.map(({ page }) => page);
  const pagesOfSite = new Uint32Array(web.sites);
  for (const page of pages) {
    const site = web.siteOf[page] as number;
    pagesOfSite[site] = (pagesOfSite[site] as number) + 1;
  }
  const depths = findDepths(crawled, web.homes, web.pages);
  const stepOf = new Map(
    crawled.map(({ page, seconds }) => {
      const end = crawled.at(-1)?.seconds ?? 1;
      return [page, Math.max(1, Math.ceil((seconds / end) * days * steps))];
    }),
  );
  let [pagesSoFar, rankSoFar] = [0, 0];
  const inDays = [...groupPages(pages, ranked, (page) => stepOf.get(page) ?? 1)].map((group) => {
    pagesSoFar += group.pages;
    rankSoFar += group.rank;
    return { part: "days", x: group.x / steps, pages: pagesSoFar, rank: rankSoFar };
  });
  const below = pages.filter((page) => (depths[page] as number) >= deep);
  const correlation =
    below.length < fewestDeep
      ? null
      : correlate(
          below.map((page) => depths[page] as number),
          below.map((page) => ranks[page] as number),
        );
  const ofSites = groupPages(pages, ranked, (page) => pagesOfSite[web.siteOf[page] as number] as number);
  const ofDepths = groupPages(pages, ranked, (page) => depths[page] as number);
  return [
    ...[...ofSites].map((group) => ({ part: "sites", ...group })),
    ...inDays,
    ...[...ofDepths].map((group) => ({ part: "depths", ...group })),
    { part: "deep", x: deep, pages: below.length / web.pages, rank: correlation ?? null },
  ];
}

function pointsOf(rows: readonly LabRow[], part: Part, y: (row: LabRow) => number) {
  return rows.filter((row) => row.web === 1 && row.part === part).map((row) => ({ x: Number(row.x), y: y(row) }));
}

const line = (name: string, points: { x: number; y: number }[]) =>
  ({ kind: "line" as const, of: "ours" as const, name, points }) as const;

function draw(rows: readonly LabRow[], kind: WebKind, pages: number): Figure[] {
  const own = rows.filter((row) => row.kind === kind);
  const theirs = (name: string, ys: readonly [number, number]) =>
    ({ kind: "dots", of: "theirs", name, points: ys.map((y, at) => ({ x: 2 * (at + 1), y })) }) as const;
  const perPage = (row: LabRow): number => Number(row.rank) / Number(row.pages);
  const daily = Array.from({ length: days }, (_, day) => {
    const rows = own.filter((row) => row.web === 1 && row.part === "days");
    return { x: day + 1, y: meanRankOfDays(rows, day, day + 1) ?? 0 };
  });
  return [
    {
      name: `web-sites-${kind}`,
      title: `Sizes of sites, ${kind}`,
      caption:
        "Sites by the pages that were retrieved from them. Castillo et al., Figure 3, whose text gives no numbers.",
      x: { label: "Pages of a site", kind: "log" },
      y: { label: "Sites", kind: "log" },
      marks: [
        {
          kind: "dots",
          of: "ours",
          name: "sites",
          points: pointsOf(own, "sites", (row) => Math.round((Number(row.pages) * pages) / Number(row.x))),
        },
      ],
    },
    {
      name: `web-days-${kind}`,
      title: `Pages and rank by time, ${kind}`,
      caption:
        "Share of pages and of PageRank by time, in eighths of the crawl. Castillo et al., Figure 8, with days 2 and 4.",
      x: { label: "Day", kind: "linear", domain: [0, days] },
      y: { label: "Retrieved", kind: "linear", format: "percent", domain: [0, 1] },
      marks: [
        line(
          "PageRank",
          pointsOf(own, "days", (row) => Number(row.rank)),
        ),
        line(
          "pages",
          pointsOf(own, "days", (row) => Number(row.pages)),
        ),
        theirs("PageRank", [0.8, 0.95]),
        theirs("pages", [0.5, 0.8]),
      ],
    },
    {
      name: `web-day-rank-${kind}`,
      title: `Rank of a page by day, ${kind}`,
      caption:
        "PageRank of the pages of an eighth of the crawl by that of any page, in the mean. Castillo et al., Figure 9.",
      x: { label: "Day", kind: "linear", domain: [0, days] },
      y: { label: "PageRank by that of any page", kind: "linear" },
      marks: [line("rank", daily)],
    },
    {
      name: `web-depth-rank-${kind}`,
      title: `Rank of a page by depth, ${kind}`,
      caption:
        "PageRank by the clicks from the nearest home page, by that of any page, in the mean. Castillo et al., Figure 10.",
      x: { label: "Clicks from a home page", kind: "linear" },
      y: { label: "PageRank by that of any page", kind: "linear" },
      marks: [line("rank", pointsOf(own, "depths", perPage))],
    },
  ];
}

/** Figures 3, 8, 9 and 10 by the crawler of production in the order Length. */
export const webCrawlExperiment: Experiment = defineExperiment({
  name: "web-crawl",
  title: "A crawl of a whole web, in production",
  paper: `${castilloPaper}, sections 3 and 7, Figures 3, 8, 9, 10`,
  about:
    "Webs of two kinds are crawled in the order Length by the crawler of `tidemark crawl --web` in virtual time. An eighth of the time is a day. " +
    "In the paper 1000 connections are a fiftieth of the sites, and a site of the largest size takes 60 % of the eight days with 15 s of " +
    "rest and 1.5 s a page; so do connections and cap here.",
  parameters: {
    ...kindParameters,
    cap: { ...kindParameters.cap, default: 200, quick: 45 },
    connections: { kind: "whole", default: 3, quick: 1, min: 1, max: 1000, meaning: "r: connections at once" },
  },
  columns: [
    { name: "kind", meaning: "kind of web" },
    { name: "web", meaning: "which of the webs of its kind, from 1" },
    {
      name: "part",
      meaning:
        "what the row is about: sites of a size, the time until a moment, pages of a depth, or the correlation of depth and rank",
    },
    { name: "x", meaning: "pages of a site, days since the crawl began, or clicks from the nearest home page" },
    { name: "pages", meaning: "share of all pages, 0 to 1; until then, of days" },
    { name: "rank", meaning: "share of all PageRank, 0 to 1; until then, of days; of the part deep, the correlation" },
    { name: "most", meaning: "share of all PageRank that the best pages have, where so many were retrieved" },
  ],
  published: [...numbersOf("plain"), ...numbersOf("menus")],
  points: ({ kinds, webs }) =>
    kinds.split(",").flatMap((kind) => Array.from({ length: webs }, (_, web) => ({ name: `${kind}/${web + 1}` }))),
  run: async ({ name }, values, { seed, ports }) => {
    const [kind, number] = name.split("/");
    if (!isWebKind(kind)) return [];
    const ranked = drawKind(kind, Number(number), values, seed);
    const crawled = await ports.crawlWeb(ranked.web, {
      ...{ order: "length", connections: values.connections, restSeconds: values.rest, answerSeconds: values.answer },
      ...{ batchPages: ranked.web.pages, seed },
    });
    return measure(crawled, ranked).map((row) => ({
      ...{ kind, web: Number(number), ...row },
      most: row.part === "days" ? ranked.mostRank(row.pages) : null,
    }));
  },
  notes: (rows) =>
    (["plain", "menus"] as const).flatMap((kind) => {
      const texts = [0.5, 0.8].flatMap((pages) => {
        const most = meanOf(rows, kind, "days", (of) => Number(of.find((row) => Number(row.pages) >= pages)?.most));
        return most === undefined ? [] : [`the best ${100 * pages} % have ${(100 * most).toFixed(1)} % of PageRank`];
      });
      return texts.length === 0 ? [] : [`Of the pages of webs of the kind ${kind}, ${texts.join(", ")}.`];
    }),
  figures: (rows, { kinds, pages }) =>
    kinds
      .split(",")
      .filter(isWebKind)
      .flatMap((kind) => draw(rows, kind, pages)),
});
