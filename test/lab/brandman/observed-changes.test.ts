import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { barOfObserved, countObservedChanges } from "../../../lab/brandman/observed-changes.ts";
import { readParameters } from "../../../lab/experiment/parameter.ts";
import { judgePublished } from "../../../lab/experiment/published.ts";
import { experiments } from "../../../lab/experiments.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";
import { nearestWord } from "../../../src/config/nearest-word.ts";
import { createRandom } from "../../../src/core/random.ts";

describe("countObservedChanges", () => {
  it("counts regular changes: every day, or as often as the interval goes into the days", () => {
    const random = createRandom(1);
    for (let turn = 0; turn < 200; turn++) {
      assert.equal(countObservedChanges("regular", 1, 120, random), 120);
      assert.ok([17, 18].includes(countObservedChanges("regular", 7, 120, random)));
      assert.ok([0, 1].includes(countObservedChanges("regular", 365, 120, random)));
    }
  });

  it("counts days with random changes as often as they are to be expected", () => {
    const random = createRandom(2);
    let seen = 0;
    for (let page = 0; page < 2000; page++) seen += countObservedChanges("poisson", 2, 120, random);
    assert.ok(Math.abs(seen / 2000 / 120 - (1 - Math.exp(-1 / 2))) < 0.005);
  });
});

describe("barOfObserved", () => {
  it("takes 4 changes in 4 months for one a month, and none for over 4 months", () => {
    const bars = [120, 119, 17, 16, 4, 3, 1, 0].map((changes) => barOfObserved(changes, 120));
    assert.deepEqual(bars, [0, 1, 1, 2, 2, 3, 3, 4]);
  });
});

describe("the experiment of change intervals", () => {
  it("observes as many pages over 4 months as are given only if these are far slower, as its explanation says", async () => {
    const experiment = experiments.find(({ name }) => name === "intervals") ?? assert.fail();
    const number = experiment.published.find(({ name }) => name.includes("4 months")) ?? assert.fail();
    const verdictOf = async (slowest: string): Promise<string> => {
      const given = new Map([
        ["slowest", slowest],
        ["pages", "20000"],
      ]);
      const values = readParameters(experiment.parameters, given, "quick", nearestWord);
      const ports = createLabPorts("");
      const rows = await experiment.run({ name: "cho regular" }, values, {
        seed: 1,
        ports,
        onProgress: () => undefined,
      });
      return judgePublished(number, rows).verdict;
    };
    assert.equal(await verdictOf("365"), "explained");
    assert.equal(await verdictOf("100000"), "met");
    assert.equal(await verdictOf("1000"), "missed");
  });
});
