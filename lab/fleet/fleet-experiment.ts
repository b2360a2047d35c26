import type { LabRow } from "../../src/core/lab-result.ts";
import { createRandom } from "../../src/core/random.ts";
import { defineExperiment, type Experiment } from "../experiment/experiment.ts";
import type { NumberParameter } from "../experiment/parameter.ts";
import { asGoal } from "../experiment/published.ts";
import { generateWeb } from "../webs/generated-web.ts";
import { estimateFleet, type FleetLoad } from "./fleet-needs.ts";

const sizes = [1e8, 1e9, 1e10] as const;
const trialSites = 12;
const trialPages = 40;

/** What a load is made of beside its pages: docs/scale.md says which command printed what was measured. */
const assumptions: Readonly<Record<Exclude<keyof FleetLoad, "pages">, readonly [value: number, meaning: string]>> = {
  site: [56, "pages of a site; 2.64 billion of 47.5 million hosts, Common Crawl of December 2024"],
  largest: [1e6, "pages of the largest site; an assumption"],
  days: [30, "days in which each page is visited once"],
  archives: [0, "share of pages on sites that publish archives, 0 to 1"],
  changed: [0.3, "share of those pages that change in a cycle; an assumption"],
  k: [10, "pages of a visit"],
  w: [15, "seconds of rest of a site after a visit"],
  t: [0.5, "seconds of a request"],
  cpu: [326, "pages that a CPU second does; measured"],
  cores: [8, "processors of a worker's machine"],
  received: [18_000, "bytes that are received a page; median HTML of the Web Almanac 2024"],
  body: [164_000, "bytes of a page as it is kept; 394 TiB of 2.64 billion pages, Common Crawl of December 2024"],
  copies: [3, "copies of pages in the store of objects"],
  database: [642, "bytes a page of the database's tables and indexes; measured"],
  log: [2901, "bytes a page request of the database's log; measured"],
  links: [36.8, "links of a page; 128.7 billion of 3.5 billion pages, Common Crawl of 2012"],
  link: [4.8, "bits a link in Parquet; measured"],
  node: [58, "bytes of memory a page while one thread computes ranks, links on disk: docs/cli.md"],
  commits: [1333, "visits a second that a database commits; measured"],
  disk: [8e12, "bytes of the disks of a machine"],
  writes: [1e8, "bytes a second that a database writes of its log, all day; an assumption"],
  network: [1e9, "bits a second of a machine's network"],
  memory: [2.56e11, "bytes of memory of a machine"],
  heap: [4e9, "bytes of memory of a process of Node"],
  crawler: [1440, "bytes of memory a site of a crawl of one process that goes on; measured"],
};
const names = Object.keys(assumptions) as (keyof typeof assumptions)[];
const parameters: Record<string, NumberParameter> = Object.fromEntries(
  names.map((name) => {
    const [value, meaning] = assumptions[name];
    return [name, { kind: "number", default: value, min: 0, max: 1e18, meaning } as const];
  }),
);

/** What a fleet needs at three sizes, by the rates that were measured of this program. */
export const fleetExperiment: Experiment = defineExperiment({
  name: "fleet-needs",
  title: "What a fleet needs",
  paper:
    "our own; Chen, An Open Solution to Discover the Graph Structure of World Wide Web, section 5.3, asks the same",
  about:
    "Machines, database, storage and network for 10^8, 10^9 and 10^10 pages, from rates of this program and assumptions that are parameters, each beside what one machine, " +
    "database, process or site has: docs/scale.md says what follows. The crawler of `tidemark crawl --web` is run in virtual time on sites of equal size, to check the rate " +
    "that politeness allows.",
  parameters,
  columns: [
    { name: "pages", meaning: "pages of the crawl; of a trial, of all its sites" },
    { name: "what", meaning: "what is needed" },
    { name: "need", meaning: "how much of it" },
    { name: "one", meaning: "how much one machine, database, process or site has" },
    { name: "times", meaning: "how many of it that is" },
  ],
  published: [
    {
      name: "requests a second of the crawler of production by sites / (w + t), one page a turn",
      where: "our own: docs/scale.md",
      theirs: "1",
      format: "number",
      tolerance: asGoal(0.95, 1.05),
      ours: (rows: readonly LabRow[]) => {
        const row = rows.find(({ what }) => what === "trial of politeness: requests a second");
        return row === undefined ? undefined : Number(row.times);
      },
    },
  ],
  points: () => [...sizes.map((size) => ({ name: String(size), weight: 0.01 })), { name: "trial" }],
  run: async ({ name }, values, { seed, ports }) => {
    if (name !== "trial") {
      const pages = Number(name);
      const load = { ...(values as unknown as Omit<FleetLoad, "pages">), pages };
      return estimateFleet(load).map(({ what, need, one }) => ({ pages, what, need, one, times: need / one }));
    }
    const pages = trialSites * trialPages;
    const shape = { pages, sites: trialSites, siteCap: trialPages, branching: [3, 10] as const };
    const web = generateWeb(shape, createRandom(seed, "fleet-needs"));
    const [rest, answer] = [Math.max(1, Number(values.w)), Math.max(0.001, Number(values.t))];
    const crawled = await ports.crawlWeb(web, {
      ...{ order: "random", connections: trialSites, batchPages: pages, seed },
      ...{ restSeconds: rest, answerSeconds: answer },
    });
    const [first, last] = [crawled[0]?.seconds ?? 0, crawled.at(-1)?.seconds ?? 0];
    const need = (crawled.length - trialSites) / (last - first);
    const one = trialSites / (rest + answer);
    return [{ pages, what: "trial of politeness: requests a second", need, one, times: need / one }];
  },
  figures: (rows) => [
    {
      name: "fleet-needs",
      title: "What a fleet needs",
      caption:
        "How many machines, databases, processes or sites each need takes, by the size of the crawl. Above 1 one is not enough.",
      x: { label: "Pages, millions", kind: "log" },
      y: { label: "Times one", kind: "log" },
      hasPublished: false,
      marks: [...new Set(rows.filter(({ pages }) => Number(pages) >= 1e8).map(({ what }) => String(what)))].map(
        (what) => ({
          kind: "line" as const,
          of: "ours" as const,
          name: what,
          points: rows
            .filter((row) => row.what === what)
            .map((row) => ({ x: Number(row.pages) / 1e6, y: Number(row.times) })),
        }),
      ),
    },
  ],
});
