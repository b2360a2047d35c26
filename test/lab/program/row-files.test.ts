import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatResultAsJson, formatRowsAsCsv, formatVerdictsAsCsv } from "../../../lab/program/row-files.ts";
import { madeResult } from "../../report/made-result.ts";

describe("formatRowsAsCsv", () => {
  it("says in its head what made the rows, and writes cells as RFC 4180 has them", () => {
    assert.equal(
      formatRowsAsCsv(madeResult, { version: "9.9.9" }),
      [
        "# tidemark 9.9.9, experiment made: Made up",
        "# Nobody, Nothing, 2026",
        "# seed 3",
        "# parameter days=10",
        "# parameter root=a b",
        "# column name: what it is",
        "# column value: how much, in bytes",
        "name,value",
        "plain,0.1",
        '"with ""quotes"", and commas",',
        '"# no remark",1e-7',
        "",
      ].join("\n"),
    );
  });
});

describe("formatResultAsJson", () => {
  it("is JSON with a row a line, and all of the head", () => {
    const text = formatResultAsJson(madeResult, { version: "9.9.9" });
    const { rows, published, ...head } = JSON.parse(text);
    assert.deepEqual(rows, madeResult.rows);
    assert.equal(published.length, 4);
    assert.deepEqual(
      { tidemark: head.tidemark, seed: head.seed, parameters: head.parameters, figures: head.figures },
      {
        tidemark: "9.9.9",
        seed: 3,
        parameters: { days: 10, root: "a b" },
        figures: ["made-lines.svg", "made-bars.svg"],
      },
    );
    assert.ok(text.includes('\n    {"name":"plain","value":0.1},\n'));
  });
});

describe("formatVerdictsAsCsv", () => {
  it("has a line a published number", () => {
    const lines = formatVerdictsAsCsv([madeResult], { version: "9.9.9" }).split("\n");
    assert.equal(lines[1], "experiment,number,where,theirs,ours,from,to,basis,verdict,why");
    assert.equal(lines[2], "made,first,section 1,5 %,0.05,0.04,0.06,rounding,met,");
    assert.equal(
      lines[5],
      "made,fourth,section 4,1,,1,1,rounding and seeds,not-measured,These parameters do not measure it.",
    );
  });
});
