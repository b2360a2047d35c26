import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readParameters } from "../../../lab/experiment/parameter.ts";
import { experiments } from "../../../lab/experiments.ts";
import { writeLabFolder } from "../../../lab/program/lab-folder.ts";
import { type LabProgress, type PlannedExperiment, runLab } from "../../../lab/program/run-lab.ts";
import { nearestWord } from "../../../src/config/nearest-word.ts";
import { fewer } from "../../long-run.ts";
import { madeResult } from "../../report/made-result.ts";
import { makeTempFolder } from "../../temp-folder.ts";

function plan(name: string, given: Record<string, string>): PlannedExperiment {
  const experiment = experiments.find((one) => one.name === name) ?? assert.fail(name);
  const texts = new Map(Object.entries(given));
  return { experiment, values: readParameters(experiment.parameters, texts, "quick", nearestWord) };
}

const plans = [
  plan("savings", { pages: "300", levels: "20" }),
  plan("intervals", { pages: "1000" }),
  plan("freshness", { pages: "300", levels: "20" }),
  plan("replay", { pages: "200", days: "8", levels: "5" }),
  plan("metadata", { pages: "150" }),
];
const version = "9.9.9";

function filesIn(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );
}

describe("runLab", () => {
  it("comes to the same files, byte by byte, twice over and however many threads there are", async () => {
    using temp = makeTempFolder();
    const made: Map<string, string>[] = [];
    for (const threads of [1, 1, 3]) {
      const out = join(temp.path, String(made.length));
      const written = await writeLabFolder(await runLab(fewer(plans, 2), { seed: 5, threads }), out, { version });
      made.push(filesIn(out));
      assert.deepEqual(
        written.map(({ name }) => name),
        readdirSync(out).sort(),
      );
    }
    assert.ok((made[0]?.size ?? 0) > 10);
    assert.deepEqual(made[1], made[0]);
    assert.deepEqual(made[2], made[0]);
    const other = join(temp.path, "other");
    await writeLabFolder(await runLab(fewer(plans, 2), { seed: 6 }), other, { version });
    assert.notEqual(filesIn(other).get("freshness.csv"), made[0]?.get("freshness.csv"));
  });

  it("tells how far it is, to the end", async () => {
    const told: LabProgress[] = [];
    await runLab(plans, { seed: 1, onProgress: (progress) => told.push(progress) });
    const points = plans.reduce((sum, { experiment, values }) => sum + experiment.points(values).length, 0);
    assert.ok(told.every((one, at) => one.points === points && one.share >= (told[at - 1]?.share ?? 0)));
    assert.deepEqual([told.at(-1)?.share, told.at(-1)?.pointsDone], [1, points]);
  });

  it("stops at once when it is told to, and leaves no thread and no folder behind", async () => {
    const cancel = new AbortController();
    const run = runLab([plan("intervals", { pages: "10000000" })], {
      seed: 1,
      signal: cancel.signal,
      onProgress: () => cancel.abort(),
    });
    await assert.rejects(run, { code: "aborted" });
    await assert.rejects(runLab(plans, { seed: 1, signal: AbortSignal.abort() }), { code: "aborted" });
  });
});

describe("writeLabFolder", () => {
  it("leaves other files of the folder alone, and nothing of its own beside the results", async () => {
    using temp = makeTempFolder();
    writeFileSync(join(temp.path, "notes.txt"), "mine");
    writeFileSync(join(temp.path, "made.csv"), "old");
    const written = await writeLabFolder([madeResult], temp.path, { version });
    const names = ["index.html", "made-bars.svg", "made-lines.svg", "made.csv", "made.json", "published.csv"];
    assert.deepEqual(
      written.map(({ name }) => name),
      names,
    );
    assert.deepEqual(readdirSync(temp.path).sort(), [...names, "notes.txt"].sort());
    assert.match(readFileSync(join(temp.path, "made.csv"), "utf8"), /^# tidemark 9\.9\.9/);
  });

  it("leaves nothing where it is stopped", async () => {
    using temp = makeTempFolder();
    const out = join(temp.path, "new", "folder");
    const write = writeLabFolder([madeResult], out, { version, signal: AbortSignal.abort() });
    await assert.rejects(write, { code: "aborted" });
    // The second file cannot be written: no folder has its name.
    await assert.rejects(writeLabFolder([{ ...madeResult, name: "no/folder" }], out, { version }), {
      code: "not-found",
    });
    assert.deepEqual(readdirSync(temp.path), []);
  });

  it("says which folder it cannot write into", async () => {
    using temp = makeTempFolder();
    writeFileSync(join(temp.path, "file"), "");
    const write = writeLabFolder([madeResult], join(temp.path, "file", "out"), { version });
    await assert.rejects(write, { code: "not-a-folder", message: /file\/out/ });
  });
});
