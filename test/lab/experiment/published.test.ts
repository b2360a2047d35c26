import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asRounded, judgePublished, type PublishedNumber } from "../../../lab/experiment/published.ts";

const number: PublishedNumber = {
  name: "a number",
  where: "section 1",
  theirs: "about 5",
  format: "number",
  tolerance: asRounded(5, 2),
  ours: (rows) => (rows[0] === undefined ? undefined : Number(rows[0].value)),
  explanation: { expected: [7, 8], why: "It is so." },
};

const judge = (value: number | undefined) => {
  const { verdict, why, ours } = judgePublished(number, value === undefined ? [] : [{ value }]);
  return [verdict, why, ours];
};

describe("judgePublished", () => {
  it("meets within the tolerance, both ends included", () => {
    for (const value of [4, 5, 6]) assert.deepEqual(judge(value), ["met", undefined, value]);
    assert.deepEqual(judge(6.000_000_000_1), ["met", undefined, 6.000_000_000_1]);
  });

  it("explains a miss only where the explanation accounts for it", () => {
    assert.deepEqual(judge(7.5), ["explained", "It is so.", 7.5]);
    for (const value of [3.9, 6.5, 8.1]) assert.deepEqual(judge(value), ["missed", undefined, value]);
    const { explanation: _, ...bare } = number;
    assert.equal(judgePublished(bare, [{ value: 7.5 }]).verdict, "missed");
  });

  it("only shows ours where it is of data of one's own, and judges what is of none", () => {
    for (const value of [5, 7.5, 9]) {
      const { verdict, ours } = judgePublished(number, [{ value }], { isOwnData: true });
      assert.deepEqual([verdict, ours], ["not-measured", value]);
    }
    const made = { ...number, isOfMadeData: true };
    assert.equal(judgePublished(made, [{ value: 9 }], { isOwnData: true }).verdict, "missed");
  });

  it("says that nothing was measured where the rows do not say", () => {
    assert.equal(judge(undefined)[0], "not-measured");
  });
});
