import type { LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import type { LoggedTraffic } from "../experiment/ports.ts";
import { asRounded } from "../experiment/published.ts";
import { MadeTraffic } from "./made-traffic.ts";

/** Hits a day of the made servers; the paper's eight have up to some tens of thousands. */
const servers = [4000, 8000, 12_000, 16_000, 20_000, 24_000, 28_000, 32_000] as const;

/** Figure 5 (b): 18 % at 10,000 hits a day, and 0.47 points less for each 1000 more. */
const shareAt = (hitsPerDay: number): number => 0.18 - 0.0047 * (hitsPerDay / 1000 - 10);

/** The straight line through the servers' shares: its slope in points a thousand hits, and its height at 10,000. */
function fitLine(rows: readonly LabRow[]): { readonly slope: number; readonly at10000: number } | undefined {
  const points = rows.map((row) => [Number(row.hits) / 1000, 100 * Number(row.crawlerHits)] as const);
  if (points.length < 2) return undefined;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))];
  const across = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  const slope = across / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  return { slope, at10000: (y + slope * (10 - x)) / 100 };
}

/** Means of the days' shares, as McLearn's table has them. */
function rowOf(server: string, traffic: LoggedTraffic, truth: number | null): LabRow {
  const days = traffic.days.filter(({ requests, bytes }) => requests > 0 && bytes > 0);
  const mean = (value: (day: LoggedTraffic["days"][number]) => number): number =>
    days.reduce((sum, day) => sum + value(day), 0) / Math.max(1, days.length);
  return {
    server,
    hits: Math.round(mean(({ requests }) => requests)),
    crawlerHits: mean(({ requests, crawlerRequests }) => crawlerRequests / requests),
    crawlerBytes: mean(({ bytes, crawlerBytes }) => crawlerBytes / bytes),
    truth,
    crawlers: traffic.crawlers,
    notModified: traffic.crawlersWithNotModified / Math.max(1, traffic.crawlers),
    pages: traffic.pageRequests / Math.max(1, traffic.requests),
    pageBytes: traffic.pageBytes / Math.max(1, traffic.bytes),
  };
}

const hiding =
  "about a sixth of the made crawlers' requests come from clients that look like browsers, which are found by their hundredth page; on small servers most stay below.";

/** Traffic of crawlers, counted from access logs by the code of `tidemark traffic`. */
export const trafficExperiment: Experiment = defineExperiment({
  name: "traffic",
  title: "Traffic of crawlers",
  paper: `${brandmanPaper}, sections 4.1, 4.2 and 5, Figures 4 and 5; McLearn, Table 1.1`,
  about:
    "Access logs are counted by the code of `tidemark traffic`. The logs of the papers' servers are lost. Logs are made in their place: eight servers, " +
    "whose crawlers have the shares of Figure 5 (b), so that these shares are an input, and what is tested is that the counting finds them again. " +
    "Crawlers are found as the papers do, by robots.txt, and by names and behaviour. With `log`, one's own log is counted.",
  parameters: {
    log: { kind: "text", isOwnData: true, default: "", meaning: "an access log of Apache or nginx, gzip'd or not" },
    days: { kind: "whole", default: 14, min: 1, max: 400, meaning: "days of the made logs" },
    pages: { kind: "whole", default: 2000, min: 10, max: 1_000_000, meaning: "pages of a made site" },
  },
  columns: [
    { name: "server", meaning: "made server, by its hits a day, or the log" },
    { name: "hits", meaning: "requests a day" },
    { name: "crawlerHits", meaning: "share of crawlers in a day's requests, mean of the days" },
    { name: "crawlerBytes", meaning: "share of crawlers in a day's bytes, mean of the days" },
    { name: "truth", meaning: "share of crawlers in all requests, as the log was made" },
    { name: "crawlers", meaning: "crawlers, by name" },
    { name: "notModified", meaning: "share of crawlers that got at least one 304" },
    { name: "pages", meaning: "share of pages, by the endings of their paths, in all requests" },
    { name: "pageBytes", meaning: "the same of bytes" },
  ],
  published: [
    {
      name: "slope of the crawlers' share, in points a thousand hits",
      where: "[B] section 5, Figure 5 (b)",
      theirs: "-0.47",
      format: "number",
      tolerance: asRounded(-0.47, 0.01, 0.008),
      ours: (rows) => fitLine(rows)?.slope,
      explanation: { expected: [-0.47, -0.35], why: hiding },
    },
    {
      name: "crawlers' share at 10,000 hits a day",
      where: "[B] section 5, Figure 5 (b)",
      theirs: "about 18 %",
      format: "percent",
      tolerance: asRounded(0.18, 0.01, 0.001),
      ours: (rows) => fitLine(rows)?.at10000,
      explanation: { expected: [0.15, 0.18], why: hiding },
    },
    {
      name: "crawlers that got a 304",
      where: "[B] section 4.1",
      theirs: "13 %",
      format: "percent",
      tolerance: asRounded(0.13, 0.01, 0.0013),
      ours: (rows) => rows.reduce((sum, row) => sum + Number(row.notModified), 0) / Math.max(1, rows.length),
      explanation: {
        expected: [0.05, 0.35],
        why: "three of the twelve made crawlers ask with conditions, an input; crawlers that hide count by network, and some readers are taken for such.",
      },
    },
  ],
  points: ({ log }) =>
    log === "" ? servers.map((hits) => ({ name: String(hits), weight: hits / 250 })) : [{ name: log }],
  run: async ({ name }, { log, days, pages }, { seed, ports }) => {
    if (log !== "") return [rowOf(name, await ports.readTraffic(log), null)];
    const hits = Number(name);
    const made = new MadeTraffic({
      seed: Math.floor(createRandom(seed, "traffic", name)() * 2 ** 32),
      ...{ lines: hits * days, pages, days, shareOfCrawlers: shareAt(hits) },
    });
    const traffic = await ports.readTraffic(made.chunks());
    let [all, crawling] = [0, 0];
    for (const { kind, requests } of made.clients()) {
      all += requests;
      if (kind !== "people" && kind !== "cached") crawling += requests;
    }
    return [rowOf(name, traffic, crawling / all)];
  },
  figures: (rows) => [
    {
      name: "traffic",
      title: "Crawlers' share of requests",
      caption:
        "Share of crawlers in a day's requests, by requests a day. Brandman et al., Figure 5 (b); of its points the text gives the line.",
      x: { label: "Requests a day", kind: "linear" },
      y: { label: "Share of crawlers", kind: "linear", format: "percent" },
      marks: [
        {
          kind: "dots",
          of: "ours",
          name: "counted from logs",
          points: rows.map((row) => ({ x: Number(row.hits), y: Number(row.crawlerHits) })),
        },
        {
          kind: "line",
          of: "theirs",
          name: "18 % at 10,000, 0.47 points less a thousand",
          points: [servers[0], servers[servers.length - 1] as number].map((x) => ({ x, y: shareAt(x) })),
        },
      ],
    },
  ],
});
