import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Experiment } from "../../lab/experiment/experiment.ts";
import { readParameters } from "../../lab/experiment/parameter.ts";
import type { LabPorts } from "../../lab/experiment/ports.ts";
import { experiments } from "../../lab/experiments.ts";
import { createLabPorts } from "../../lab/program/lab-ports.ts";
import { nearestWord } from "../../src/config/nearest-word.ts";
import type { LabRow } from "../../src/core/lab-result.ts";

const ports: LabPorts = {
  ...createLabPorts(""),
  exportSite: () => assert.fail("nothing is exported"),
  readHistory: () => assert.fail("nothing is read"),
};

/** What makes each experiment a matter of milliseconds; those that need the world have tests of their own. */
const small: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  intervals: { pages: "500" },
  needless: { pages: "500" },
  freshness: { pages: "200", levels: "20" },
  savings: { pages: "200", levels: "20" },
  traffic: { pages: "50", days: "1" },
  replay: { pages: "100", days: "5", levels: "5" },
  orders: { pages: "1000", sites: "30", cap: "200" },
  "order-sensitivity": { pages: "1000", sites: "30", cap: "200", batches: "4" },
  connections: { pages: "1000", sites: "60", cap: "200" },
  "speed-up": { pages: "1000", sites: "60", cap: "200" },
  planners: {
    pages: "40",
    others: "20",
    days: "60",
    seeds: "2",
    window: "6",
    scenes: "poisson,noisy,budget,history",
    planners: "round-robin,nutch,index,learning",
  },
  "batch-time": { pages: "200", sites: "30", cap: "50" },
  "web-orders": { pages: "60", sites: "6", cap: "30", webs: "1", kinds: "plain", batches: "2", orders: "batch,random" },
  "web-crawl": { pages: "60", sites: "6", cap: "30", webs: "1", kinds: "plain" },
  "web-graph": { pages: "300", sites: "6", links: "20", crawled: "40", webs: "1" },
  "pending-list": { pages: "80", sites: "6", links: "10", webs: "1" },
  "web-growth": { pages: "300", sites: "6", webs: "1", days: "2" },
  "whole-web": {},
  "fleet-needs": {},
  cycle: { periods: "6", buckets: "24" },
  "cycle-crawls": { periods: "6", buckets: "24" },
  "cycle-obsolete": { periods: "6", buckets: "24" },
  "sharing-baseline": { pages: "1000", largest: "2" },
  "sharing-rho": { pages: "1000", largest: "2" },
  "sharing-sizes": { pages: "1000", largest: "2" },
  "sharing-mixed": { pages: "1000", largest: "2" },
  "sharing-archives": { pages: "1000", largest: "2", site: "10" },
  "sharing-rules": { pages: "1000" },
  "sharing-controllers": { pages: "1000", largest: "2" },
  refresh: {},
  estimators: { pages: "50" },
  signals: { cycles: "50" },
};

/** Those that nothing is left to chance in: the seed changes nothing. */
const certain: readonly string[] = ["cycle", "cycle-crawls", "cycle-obsolete", "refresh", "whole-web", "fleet-needs"];

async function runSmall(experiment: Experiment, seed: number, isReversed = false) {
  const given = new Map(Object.entries(small[experiment.name] ?? {}));
  const values = readParameters(experiment.parameters, given, "quick", nearestWord);
  const points = [...experiment.points(values)];
  const rows = new Map<string, readonly LabRow[]>();
  for (const point of isReversed ? points.toReversed() : points) {
    const onProgress = (share: number): void => assert.ok(share >= 0 && share <= 1);
    rows.set(point.name, await experiment.run(point, values, { seed, ports, onProgress }));
  }
  return { values, rows: points.flatMap((point) => rows.get(point.name) ?? []) };
}

function assertDistinct(names: readonly string[]): void {
  assert.deepEqual(names, [...new Set(names)]);
}

describe("the experiments", () => {
  it("have names that can be typed, and numbers that can be told apart", () => {
    assertDistinct(experiments.map(({ name }) => name));
    for (const { name, published, columns, parameters, about } of experiments) {
      assert.match(name, /^[a-z][a-z0-9-]*$/);
      assertDistinct(published.map((one) => one.name));
      assertDistinct(columns.map((column) => column.name));
      for (const parameter of Object.keys(parameters)) assert.match(parameter, /^[a-z][a-z0-9-]*$/);
      assert.match(about, /\.$/);
    }
  });

  it("draw savings below nothing within the axis", () => {
    const savings = experiments.find(({ name }) => name === "savings");
    const domainOf = (saved: number) =>
      savings?.figures([{ input: "cho", freshness: 0.1, conventional: 1, metadata: 1 - saved, saved }], {})[0]?.y
        .domain;
    assert.deepEqual(domainOf(-0.17), [-0.2, 1]);
    assert.deepEqual(domainOf(0.3), [0, 1]);
  });

  it("draw figures whose files differ", async () => {
    const figures = [];
    for (const experiment of experiments.filter(({ name }) => name in small)) {
      const { rows, values } = await runSmall(experiment, 1);
      figures.push(...experiment.figures(rows, values));
    }
    assertDistinct(figures.map(({ name }) => name));
    for (const { name } of figures) assert.match(name, /^[a-z][a-z0-9-]*$/);
  });

  for (const experiment of experiments.filter(({ name }) => name in small)) {
    it(`${experiment.name} gives for a seed the same rows, in whatever order its points run, all with its columns`, async () => {
      const { rows } = await runSmall(experiment, 1);
      assert.ok(rows.length > 0);
      const columns = experiment.columns.map(({ name }) => name).toSorted();
      for (const row of rows) assert.deepEqual(Object.keys(row).toSorted(), columns);
      assert.deepEqual((await runSmall(experiment, 1)).rows, rows);
      assert.deepEqual((await runSmall(experiment, 1, true)).rows, rows);
      const { rows: others } = await runSmall(experiment, 2);
      if (certain.includes(experiment.name)) assert.deepEqual(others, rows);
      else assert.notDeepEqual(others, rows);
    });
  }
});
