import type { LabRow } from "../../src/core/lab-result.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import { chenPaper } from "../experiment/papers.ts";
import type { NumberParameter } from "../experiment/parameter.ts";
import { asRounded, asWorded, type PublishedNumber } from "../experiment/published.ts";
import { estimateWholeWeb, type WholeWeb, type WholeWebNeeds } from "./whole-web.ts";

const years = ["2009", "today"] as const;
type Year = (typeof years)[number];

/** What each assumption is, in 2009 and today, and what it is the number of. */
const assumptions: Readonly<Record<keyof WholeWeb, readonly [then: number, now: number, meaning: string]>> = {
  hosts: [200_000_000, 1_085_035_470, "host names; today: Netcraft's survey of September 2023"],
  pages: [20, 55.6, "pages of a host; today: 2.64 billion of 47.5 million hosts, Common Crawl of December 2024"],
  links: [200, 36.8, "links of a page; today: 128.7 billion of 3.5 billion pages, Common Crawl of 2012"],
  days: [180, 180, "days of a crawl"],
  check: [0.1, 0.1, "seconds of a volunteer for each link of a page"],
  url: [100, 100, "bytes of a URL"],
  copies: [3, 3, "copies that are stored"],
  template: [600, 600, "bytes of a work unit's templates"],
  headers: [30, 40, "bytes of TCP and IP headers of a task, each way"],
  compression: [10, 10, "by what compression divides what is sent"],
  ranking: [10_000, 10_000, "URLs that are ranked in a second"],
};
const names = Object.keys(assumptions) as (keyof WholeWeb)[];

const parameters: Record<string, NumberParameter> = Object.fromEntries(
  names.flatMap((name) => {
    const [then, now, meaning] = assumptions[name];
    const bounds = { kind: "number", min: 1e-9, max: 1e15 } as const;
    return [
      [name, { ...bounds, default: then, meaning: `2009: ${meaning}` }],
      [`${name}-today`, { ...bounds, default: now, meaning: `today: ${meaning}` }],
    ];
  }),
);

const quantities: Readonly<Record<keyof WholeWebNeeds, string>> = {
  nodes: "nodes",
  nodesPerSecond: "nodes a second",
  secondsPerNode: "seconds a node and volunteer",
  volunteers: "volunteers",
  storageBytes: "bytes of storage",
  sentBytesPerSecond: "bytes a second that are sent",
  receivedBytesPerSecond: "bytes a second that are received",
  sentPackedBytesPerSecond: "bytes a second that are sent, compressed",
  receivedPackedBytesPerSecond: "bytes a second that are received, compressed",
  rankingSeconds: "seconds to rank all nodes",
  rankingShare: "share of the time that ranking takes",
};

const inYear = (
  rows: readonly LabRow[],
  year: Year,
  quantity: keyof WholeWebNeeds,
  unit: number,
): number | undefined => {
  const value = rows.find((row) => row.quantity === quantities[quantity])?.[year];
  return typeof value === "number" ? value / unit : undefined;
};

const number = (
  quantity: keyof WholeWebNeeds,
  section: string,
  theirs: string,
  tolerance: PublishedNumber["tolerance"],
  more: { readonly unit?: number; readonly explanation?: PublishedNumber["explanation"] } = {},
): PublishedNumber => ({
  name: `${quantities[quantity]}, 2009`,
  where: `section ${section}`,
  ...{ theirs, tolerance, format: "number" },
  ours: (rows) => inYear(rows, "2009", quantity, more.unit ?? 1),
  ...(more.explanation && { explanation: more.explanation }),
});

const megabyte = 1e6;
const kibibytes = "It is 187,757 bytes a second: 183.4 KiB, which the paper divides by 1000.";

const published: readonly PublishedNumber[] = [
  number("nodes", "5.3.1", "4,000,000,000", asRounded(4e9, 1)),
  number("nodesPerSecond", "5.3.2", "257", asRounded(257, 1)),
  number("secondsPerNode", "5.3.2", "20", asRounded(20, 1)),
  number("volunteers", "5.3.2", "5,140", asRounded(5140, 10)),
  number("storageBytes", "5.3.3", "1,200 GB", asRounded(1200, 1), { unit: 1e9 }),
  number("sentBytesPerSecond", "5.3.3", "0.183 MB/s", asRounded(0.183, 0.001), {
    unit: megabyte,
    explanation: { expected: [0.1877, 0.1878], why: kibibytes },
  }),
  number("receivedBytesPerSecond", "5.3.3", "5 MB/s", asRounded(5, 1), { unit: megabyte }),
  number("sentPackedBytesPerSecond", "5.3.3", "0.0183 MB/s", asRounded(0.0183, 0.0001), {
    unit: megabyte,
    explanation: { expected: [0.01877, 0.01878], why: kibibytes },
  }),
  number("receivedPackedBytesPerSecond", "5.3.3", "0.5 MB/s", asRounded(0.5, 0.1), { unit: megabyte }),
  number("rankingSeconds", "5.3.3", "400,000", asRounded(400_000, 1)),
  number("rankingShare", "5.3.3", "only 0.2 percents", asWorded(0.0015, 0.0025), {
    explanation: {
      expected: [0.0257, 0.0258],
      why: "400,000 of 15,552,000 seconds are 2.6 %: a slip of the decimal point.",
    },
  }),
];

/** The estimates of sections 5.3.1 to 5.3.3, with every assumption as a parameter. */
export const wholeWebExperiment: Experiment = defineExperiment({
  name: "whole-web",
  title: "What a crawl of the whole Web by volunteers needs",
  paper: `${chenPaper}, section 5.3`,
  about:
    "Volunteers, storage and traffic of the paper's server, by its own formulas: with the paper's assumptions, and with today's where a source is known. The others are the " +
    "paper's in both. Every assumption is a parameter.",
  parameters,
  columns: [
    { name: "quantity", meaning: "what the row is about" },
    { name: "2009", meaning: "with the paper's assumptions" },
    { name: "today", meaning: "with today's" },
    { name: "growth", meaning: "today's by the paper's" },
  ],
  published,
  points: () => [{ name: "estimates" }],
  run: (_, values) => {
    const [then, now] = ["", "-today"].map((suffix) =>
      estimateWholeWeb(Object.fromEntries(names.map((name) => [name, values[name + suffix]])) as unknown as WholeWeb),
    ) as [WholeWebNeeds, WholeWebNeeds];
    return (Object.keys(quantities) as (keyof WholeWebNeeds)[]).map((quantity) => ({
      quantity: quantities[quantity],
      "2009": then[quantity],
      today: now[quantity],
      growth: now[quantity] / then[quantity],
    }));
  },
  figures: (rows) => [
    {
      name: "whole-web",
      title: "Today by 2009",
      caption: "By how much each estimate of Chen, section 5.3, grew since 2009.",
      x: { label: "Estimate", kind: "names" },
      y: { label: "Today by 2009", kind: "linear" },
      hasPublished: false,
      marks: [
        {
          kind: "bars",
          of: "ours",
          name: "today by 2009",
          points: rows.map((row) => ({ x: String(row.quantity), y: Number(row.growth) })),
        },
      ],
    },
  ],
});
