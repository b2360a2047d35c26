import type { LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { brandmanPaper } from "../experiment/papers.ts";
import { asWorded } from "../experiment/published.ts";
import { cutDays } from "./history-days.ts";
import { makeHistory } from "./made-history.ts";
import { type ReplayCrawlerKind, replayCrawlers } from "./replay-crawler.ts";
import { followWeb } from "./replay-levels.ts";
import { ReplayedWeb } from "./replayed-web.ts";
import { VirtualPublisher } from "./virtual-publisher.ts";

const titles: Readonly<Record<ReplayCrawlerKind, string>> = {
  conventional: "in turn, whole pages",
  conditional: "in turn, whole pages only if changed",
  archives: "by archives, which cost what they take",
  ideal: "told of every change for nothing",
};

function levelsOf(rows: readonly LabRow[], crawler: ReplayCrawlerKind): LabRow[] {
  return rows.filter((row) => row.crawler === crawler);
}

/** The least bandwidth that keeps a share of the copies fresh on average; between levels by a straight line. */
function bandwidthAt(rows: readonly LabRow[], crawler: ReplayCrawlerKind, freshness: number): number | undefined {
  const levels = levelsOf(rows, crawler);
  const at = levels.findIndex((row) => Number(row.freshness) >= freshness);
  const [level, before] = [levels[at], levels[at - 1]];
  if (level === undefined) return undefined;
  if (before === undefined) return Number(level.bandwidth);
  const share = (freshness - Number(before.freshness)) / (Number(level.freshness) - Number(before.freshness));
  return Number(before.bandwidth) + share * (Number(level.bandwidth) - Number(before.bandwidth));
}

function savedAt(rows: readonly LabRow[], freshness: number): number | undefined {
  const [conventional, archives] = [
    bandwidthAt(rows, "conventional", freshness),
    bandwidthAt(rows, "archives", freshness),
  ];
  return conventional === undefined || archives === undefined ? undefined : 1 - archives / conventional;
}

/** Section 6 again, on real change histories, with our exporter and the reading of our crawler in the loop. */
export const replayExperiment: Experiment = defineExperiment({
  name: "replay",
  title: "Freshness within a bandwidth, on replayed histories",
  paper: `${brandmanPaper}, sections 3.4 and 6`,
  about:
    "A site lives through a history day by day. The exporter's own code publishes each day, into memory, and each archive is encoded and " +
    "packed to know what it takes; the crawler's own code chooses what to read. Bandwidth is in bytes, and every answer's fields " +
    "count. Each crawler takes pages in turn, those that are told what changed only these. All copies are fresh at first. Without a history one is made up, with the change intervals of 20 % daily pages.",
  parameters: {
    history: {
      kind: "text",
      isOwnData: true,
      default: "",
      meaning: "gzip'd file of a line an event: seconds, A, M or D, bytes, path, TAB between",
    },
    days: {
      kind: "whole",
      default: 365,
      quick: 60,
      min: 2,
      max: 10_000,
      meaning: "days to replay, the last of the history",
    },
    pages: {
      kind: "whole",
      default: 5000,
      quick: 1500,
      min: 10,
      max: 1_000_000,
      meaning: "pages of the history that is made up",
    },
    levels: {
      kind: "whole",
      default: 25,
      quick: 17,
      min: 3,
      max: 100,
      meaning: "levels of bandwidth, each a root of two times the one before",
    },
    fields: { kind: "whole", default: 250, min: 0, max: 10_000, meaning: "bytes that the fields of an answer take" },
  },
  columns: [
    { name: "crawler", meaning: "how it learns what changed" },
    { name: "bandwidth", meaning: "bytes a day by the bytes of all pages on the first day" },
    { name: "freshness", meaning: "share of fresh copies, mean of the ends of all days, 0 to 1" },
    { name: "last", meaning: "share of fresh copies after the last day" },
    { name: "used", meaning: "bytes a day that were downloaded, by the bytes of all pages on the first day" },
    { name: "metadata", meaning: "share of index, archives and robots.txt in what was downloaded" },
  ],
  published: [
    {
      name: "bandwidth saved at 80 % freshness, at least",
      where: "section 6, Figure 6 (c)",
      theirs: "62 %",
      format: "percent",
      tolerance: asWorded(0.615, 1),
      ours: (rows) => savedAt(rows, 0.8),
    },
    {
      name: "meta-data by data, with bandwidth for everything, at most",
      where: "section 3.4",
      theirs: "0.16 %",
      format: "percent",
      tolerance: asWorded(0, 0.001_65),
      ours: (rows) => {
        const share = levelsOf(rows, "archives").at(-1)?.metadata;
        return share === undefined || share === null ? undefined : Number(share) / (1 - Number(share));
      },
      explanation: {
        expected: [0.001_65, 0.2],
        why:
          "The paper counts only entries. Each visit also asks for robots.txt and the index, an archive of few lines compresses less, and " +
          "the fields of answers count: the fewer pages change, the more of what is read is meta-data.",
      },
    },
  ],
  points: () => replayCrawlers.map((name) => ({ name, weight: name === "archives" ? 6 : 3 })),
  run: async ({ name }, { history, days, pages, levels, fields }, { seed, ports, onProgress }) => {
    const kind = name as ReplayCrawlerKind;
    const events = history === "" ? makeHistory(pages, days, seed) : await ports.readHistory(history);
    const cut = cutDays(events, days);
    const web = new ReplayedWeb(cut, ports.mediaTypeOf, seed);
    const bandwidths = Array.from({ length: levels }, (_, level) => 2 ** ((level + 1 - levels) / 2));
    let done = 0;
    const found = await followWeb({
      web,
      kind,
      bandwidths,
      fieldsBytes: fields,
      publisher: new VirtualPublisher(ports.pack),
      onDay: () => onProgress(++done / cut.length),
    });
    return found.map(
      ({ bandwidth, budgetBytes, sums }): LabRow => ({
        crawler: kind,
        bandwidth,
        freshness: sums.days === 0 ? null : sums.freshness / sums.days,
        last: sums.last,
        used: sums.days === 0 ? null : (sums.bytes / sums.days) * (bandwidth / budgetBytes),
        metadata: sums.bytes === 0 ? 0 : sums.metadataBytes / sums.bytes,
      }),
    );
  },
  figures: (rows, { history }) => [
    {
      name: "replay",
      title: `Freshness within a bandwidth (${history === "" ? "made-up history" : (history.split("/").at(-1) ?? "")})`,
      caption:
        "Mean share of fresh copies, by the bytes that a crawler may download a day. Brandman et al., section 6, with archives as they " +
        "are published, on a history of changes.",
      x: { label: "Bandwidth, as a share of all pages' bytes a day", kind: "log", format: "percent" },
      y: { label: "Fresh copies, mean of all days", kind: "linear", format: "percent" },
      marks: replayCrawlers.map((crawler) => ({
        kind: "line" as const,
        of: "ours" as const,
        name: titles[crawler],
        points: levelsOf(rows, crawler).map((row) => ({ x: Number(row.bandwidth), y: Number(row.freshness) })),
      })),
    },
  ],
});
