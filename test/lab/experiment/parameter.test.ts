import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ParameterTable, readParameters } from "../../../lab/experiment/parameter.ts";
import { nearestWord } from "../../../src/config/nearest-word.ts";

const table: ParameterTable = {
  days: { kind: "whole", default: 100, quick: 10, min: 1, max: 1000, meaning: "days" },
  share: { kind: "number", default: 0.5, min: 0, max: 1, meaning: "a share" },
  root: { kind: "text", default: "", meaning: "a folder" },
  order: { kind: "choice", default: "depth", choices: ["depth", "length"], meaning: "an order" },
};

const read = (given: Record<string, string>, setting: "quick" | "whole" = "whole") =>
  readParameters(table, new Map(Object.entries(given)), setting, nearestWord);

describe("readParameters", () => {
  it("takes what is given, then what the setting says, then the default", () => {
    assert.deepEqual(read({}), { days: 100, share: 0.5, root: "", order: "depth" });
    assert.deepEqual(read({ share: "1e-2", root: "a=b" }, "quick"), {
      days: 10,
      share: 0.01,
      root: "a=b",
      order: "depth",
    });
    assert.deepEqual(read({ days: "7", order: "length" }, "quick"), { days: 7, share: 0.5, root: "", order: "length" });
  });

  it("takes some of the words that there are, or none where that is the default", () => {
    const choices = ["poisson", "bursty"];
    const readWords = (text: string, preset: string) => {
      const words: ParameterTable = { words: { kind: "choices", default: preset, choices, meaning: "words" } };
      return readParameters(words, new Map([["words", text]]), "whole", nearestWord).words;
    };
    assert.equal(readWords("bursty,poisson", ""), "bursty,poisson");
    assert.equal(readWords("", ""), "");
    for (const text of ["", "foo", "poisson,foo", "poisson,", "poisson, bursty", "poisson,poisson"])
      assert.throws(() => readWords(text, "poisson"), { code: "bad-option" }, text);
  });

  const wrong: ReadonlyArray<readonly [Record<string, string>, RegExp, RegExp]> = [
    [{ day: "1" }, /no such parameter/, /Did you mean days\?/],
    [{ colour: "1" }, /no such parameter/, /There are days, share, root, order/],
    [{ days: "1.5" }, /not a whole number from 1 to 1000/, /^$/],
    [{ days: "0" }, /not a whole number/, /^$/],
    [{ days: "" }, /not a whole number/, /^$/],
    [{ days: "0x10" }, /not a whole number/, /^$/],
    [{ share: "1.01" }, /not a number from 0 to 1/, /^$/],
    [{ share: "NaN" }, /not a number from 0 to 1/, /^$/],
    [{ order: "lenght" }, /not one of depth, length/, /Did you mean length\?/],
  ];
  for (const [given, message, hint] of wrong) {
    it(`refuses ${JSON.stringify(given)}`, () => {
      assert.throws(
        () => read(given),
        (error: { code: string; message: string; hint?: string }) => {
          assert.equal(error.code, "bad-option");
          assert.match(error.message, message);
          assert.match(error.hint ?? "", hint);
          return true;
        },
      );
    });
  }
});
