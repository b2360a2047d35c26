import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  dateOption,
  durationOption,
  givenOptions,
  mediaTypesOption,
  numberOption,
  rateOption,
} from "../../src/cli/option.ts";

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
    const rows = { "0ms": 0, "250ms": 250, "1.5s": 1500, "5m": 300_000, "24h": 86_400_000, "7d": 604_800_000 };
    for (const [text, wanted] of Object.entries(rows)) assert.equal(read(text), wanted, text);
    assert.equal(durationOption({}, "settle"), undefined);
    for (const bad of ["250", "5 s", "-1s", "1e3s", "s", "1S", "1w"])
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

describe("numberOption", () => {
  it("reads a number, and takes another where the option stands alone", () => {
    const read = (value: unknown) => numberOption({ significant: value }, "significant", 0.9);
    assert.deepEqual(["0.85", ".5", "1", ""].map(read), [0.85, 0.5, 1, 0.9]);
    assert.equal(numberOption({}, "significant", 0.9), undefined);
    for (const bad of ["x", "-1", "1e3", "/var/www", ["1", "2"]])
      assert.throws(() => read(bad), { code: "bad-option" }, String(bad));
  });
});

describe("rateOption", () => {
  it("reads bytes with units of 1024", () => {
    const read = (value: string) => rateOption({ "io-limit": value }, "io-limit");
    assert.deepEqual(["5000", "500K", "1.5m", "2G"].map(read), [5000, 512_000, 1_572_864, 2_147_483_648]);
    assert.equal(rateOption({}, "io-limit"), undefined);
    for (const bad of ["", "fast", "10MB", "-1", "1T"]) assert.throws(() => read(bad), { code: "bad-option" }, bad);
  });
});

describe("givenOptions", () => {
  it("drops what is undefined and nothing else", () => {
    assert.deepEqual(Object.keys(givenOptions({ a: undefined, b: 0, c: false, d: "" })), ["b", "c", "d"]);
  });
});
