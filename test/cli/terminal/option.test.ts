import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dateOption, durationOption, mediaTypesOption } from "../../../src/cli/terminal/option.ts";
import { omitUndefined } from "../../../src/core/omit-undefined.ts";

describe("dateOption", () => {
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["2026-11-20", "2026-11-20T00:00:00.000Z"],
    ["2026-11-20T02:03", "2026-11-20T02:03:00.000Z"],
    ["2026-11-20T02:03:04", "2026-11-20T02:03:04.000Z"],
    ["2026-11-20T02:03:04.5Z", "2026-11-20T02:03:04.500Z"],
    ["2026-11-20T02:03+02:00", "2026-11-20T00:03:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ];
  for (const [text, iso] of rows) {
    it(`reads ${text}, whatever the zone of the machine`, () => {
      assert.equal(new Date(dateOption({ since: text }, "since") ?? Number.NaN).toISOString(), iso);
    });
  }
});

describe("durationOption", () => {
  it("reads a length of time with its unit", () => {
    const read = (value: string) => durationOption({ settle: value }, "settle");
    const rows = { "250ms": 250, "1.5s": 1500, "5m": 300_000, "24h": 86_400_000, "7d": 604_800_000 };
    for (const [text, wanted] of Object.entries(rows)) assert.equal(read(text), wanted, text);
    assert.equal(durationOption({}, "settle"), undefined);
    for (const bad of ["250", "5 s", "-1s", "1e3s", "s", "1S", "0s"])
      assert.throws(() => read(bad), { code: "bad-option" });
  });
});

describe("mediaTypesOption", () => {
  it("takes lists, repetitions and spaces", () => {
    const { types, filter } = mediaTypesOption({ types: ["text/html, image/*", "TEXT/CSS"] }, "types");
    assert.deepEqual(types, ["text/html", "image/*", "TEXT/CSS"]);
    assert.equal(filter.key, "image/*,text/css,text/html");
  });

  it("means all types where the option is not given", () => {
    const { types, filter } = mediaTypesOption({}, "types");
    assert.equal(types, undefined);
    assert.equal(filter.key, "");
  });
});

describe("omitUndefined", () => {
  it("drops what is undefined and nothing else", () => {
    assert.deepEqual(Object.keys(omitUndefined({ a: undefined, b: 0, c: false, d: "" })), ["b", "c", "d"]);
  });
});
