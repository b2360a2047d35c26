import assert from "node:assert/strict";
import { test } from "node:test";
import { readParameters } from "../../../lab/experiment/parameter.ts";
import type { LabPorts } from "../../../lab/experiment/ports.ts";
import { judgePublished } from "../../../lab/experiment/published.ts";
import { experiments } from "../../../lab/experiments.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { nearestWord } from "../../../src/config/nearest-word.ts";
import type { LabRow } from "../../../src/core/lab-result.ts";

const ports: LabPorts = {
  ...createLabPorts(""),
  exportSite: () => assert.fail("nothing is exported"),
  readHistory: () => assert.fail("nothing is read"),
};

async function judge(name: string, given: Readonly<Record<string, string>> = {}) {
  const experiment = experiments.find((one) => one.name === name) ?? assert.fail(name);
  const values = readParameters(experiment.parameters, new Map(Object.entries(given)), "quick", nearestWord);
  const rows: LabRow[] = [];
  for (const point of experiment.points(values))
    rows.push(...(await experiment.run(point, values, { seed: 1, ports, onProgress: () => undefined })));
  return { rows, verdicts: experiment.published.map((one) => judgePublished(one, rows)) };
}

test("Figure 7: both savings, and the four times that they are of, are within a fifth of the paper's", async () => {
  const { verdicts, rows } = await judge("batch-time");
  assert.deepEqual(
    verdicts.map(({ verdict }) => verdict),
    Array.from({ length: 6 }, () => "met"),
  );
  // With one page a connection few robots are busy for most of the time.
  const active = (k: number) =>
    rows.filter((row) => row.bandwidth === 20_000 && row.k === k).map((row) => Number(row.active));
  const share = (k: number): number => active(k).filter((busy) => busy > 30).length / 100;
  assert.ok(share(1) < 0.3 && share(100) > 0.5, `${share(1)} ${share(100)}`);
});

test("Table 1, judged whole, is not reproduced, and never falls", async () => {
  const { verdicts } = await judge("speed-up");
  assert.deepEqual(
    verdicts.map(({ verdict, ours }) => [verdict, ours]),
    [
      ["explained", 6],
      ["met", 0],
    ],
  );
});

test("Figure 5: Optimal leads and is overtaken, Length is before Depth, random is a straight line", async () => {
  const { verdicts } = await judge("orders", { pages: "15000", sites: "220", cap: "1000" });
  assert.deepEqual(
    verdicts.map(({ verdict }) => verdict),
    ["met", "met", "met", "explained", "explained", "explained", "met"],
  );
});
