import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as zod from "zod";

import { choices, mediaTypes } from "../../src/config/list-kind.ts";
import {
  byteRate,
  choice,
  converted,
  countOf,
  folderMappings,
  numberBetween,
  path,
  type SettingKind,
  siteUrl,
  siteUrls,
  text,
  texts,
  wholeNumber,
} from "../../src/config/setting-kind.ts";
import { date, timeSpan } from "../../src/config/time-kind.ts";

const takes = <T>(kind: SettingKind<T>, value: unknown): boolean => kind.schema(zod).safeParse(value).success;

// Text of the command line, the value it stands for, and values of a file that are refused.
const rows: ReadonlyArray<readonly [string, SettingKind<unknown>, string, unknown, readonly unknown[]]> = [
  ["text", text, "www-data", "www-data", ["", 1, null, ["a"]]],
  ["path", path, "../site", "../site", ["", 1]],
  ["siteUrl", siteUrl, "https://a.example/", "https://a.example/", ["a.example", "ftp://a.example/", 1]],
  ["wholeNumber", wholeNumber(1, 10), "10", 10, [0, 11, 1.5, "10", Number.NaN]],
  ["numberBetween", numberBetween(0, 1, 0.9), ".85", 0.85, [-0.1, 1.1, Number.NaN]],
  ["byteRate", byteRate, "1.5m", 1_572_864, [0, 1.5, -1]],
  ["choice", choice("all", "none"), "none", "none", ["some", "", 1]],
];

describe("a kind of setting", () => {
  for (const [name, kind, written, value, refused] of rows) {
    it(`${name}: takes the same from the command line and from a file`, () => {
      assert.equal(kind.parseText(written), value);
      assert.ok(takes(kind, value));
      for (const wrong of refused) assert.ok(!takes(kind, wrong), JSON.stringify(wrong));
      for (const wrong of refused) {
        if (typeof wrong === "string" && wrong !== written) assert.equal(kind.parseText(wrong), undefined, wrong);
      }
    });
  }

  it("siteUrls: takes one from the command line and a list from a file", () => {
    assert.equal(siteUrls.parseText("https://a.example/"), "https://a.example/");
    assert.equal(siteUrls.parseText("a.example"), undefined);
    assert.ok(takes(siteUrls, ["https://a.example/"]) && takes(siteUrls, []));
    for (const wrong of ["https://a.example/", ["a.example"], [1]]) assert.ok(!takes(siteUrls, wrong));
  });

  it("what a file and the command line write is one value of the library", () => {
    const read = (kind: SettingKind<unknown>, value: unknown) => kind.schema(zod).parse(value);
    const refused = [0, 61, 1.5, "2"];
    for (const wrong of refused) assert.ok(!takes(countOf(1000, 1, 60), wrong));
    assert.deepEqual([countOf(1000, 1, 60).parseText("2"), read(countOf(1000, 1, 60), 2)], [2000, 2000]);
    assert.equal(countOf(1000, 1, 60).parseText("61"), undefined);
    const isAll = converted(choice("all", "some"), (word) => word === "all");
    assert.deepEqual([isAll.parseText("some"), read(isAll, "all"), isAll.parseText("x")], [false, true, undefined]);
    const moment = Date.UTC(2026, 10, 20, 2);
    assert.deepEqual([date.parseText("2026-11-20T02:00"), read(date, "2026-11-20T02:00")], [moment, moment]);
    for (const wrong of ["2026-02-30", "20.11.2026", "", 1_700_000_000_000]) assert.ok(!takes(date, wrong));
    assert.equal(date.parseText("2026-02-30"), undefined);
  });

  it("timeSpan: a number and a unit, more than none", () => {
    assert.equal(timeSpan.parseText("1.5s"), 1500);
    for (const wrong of ["250", "5 s", "-1s", "1e3s", "s", "1S", "0s"])
      assert.equal(timeSpan.parseText(wrong), undefined, wrong);
  });

  it("texts: a word each on the command line, a list in a file", () => {
    assert.equal(texts.parseText("a,b"), "a,b");
    assert.ok(takes(texts, ["a", "b"]));
    assert.ok(takes(texts, []));
    for (const wrong of ["a", [""], [1], new Array(10_001).fill("a")]) assert.ok(!takes(texts, wrong));
  });

  it("mediaTypes, choices: words with commas on the command line, a list in a file", () => {
    assert.deepEqual(mediaTypes.parseText("text/html, IMAGE/*"), ["text/html", "IMAGE/*"]);
    assert.ok(takes(mediaTypes, ["text/html", "IMAGE/*"]));
    for (const wrong of ["", "html", "text/html,"]) assert.equal(mediaTypes.parseText(wrong), undefined, wrong);
    for (const wrong of ["text/html", ["html"], [1], [""]]) assert.ok(!takes(mediaTypes, wrong), JSON.stringify(wrong));
    const bells = choices("ding", "dong");
    assert.deepEqual(bells.parseText("dong,ding"), ["dong", "ding"]);
    assert.ok(takes(bells, ["dong", "ding"]));
    for (const wrong of ["", "dang", "ding,,dong"]) assert.equal(bells.parseText(wrong), undefined, wrong);
    for (const wrong of ["ding", ["dang"], [], [1]]) assert.ok(!takes(bells, wrong), JSON.stringify(wrong));
  });

  it("folderMappings: PREFIX=FOLDER each on the command line, objects in a file", () => {
    assert.deepEqual(folderMappings.parseText("/s/=/srv/a=b"), { urlPrefix: "/s/", folder: "/srv/a=b" });
    for (const wrong of ["", "/s/", "/s/=", "s/=x", "=x"]) assert.equal(folderMappings.parseText(wrong), undefined);
    const one = { urlPrefix: "/s/", folder: "../s" };
    assert.ok(takes(folderMappings, [one, one]));
    const refused = [one, "/s/=x", [{ urlPrefix: "/s/" }], [{ ...one, urlPrefix: "s/" }], [{ ...one, folder: "" }]];
    for (const wrong of [...refused, [{ ...one, more: 1 }]]) assert.ok(!takes(folderMappings, wrong));
    assert.deepEqual(
      folderMappings.completePaths?.([one], (path) => `/etc/${path}`),
      [{ urlPrefix: "/s/", folder: "/etc/../s" }],
    );
  });

  it("wholeNumber: no number that JavaScript would read otherwise", () => {
    for (const wrong of ["0x5", "5.0", "5e0", "+5", " 5", ""]) {
      assert.equal(wholeNumber(0, 100).parseText(wrong), undefined, wrong);
    }
  });
});

describe("numberBetween and byteRate", () => {
  it("take what the command line writes, and nothing else", () => {
    const number = numberBetween(0, 1, 0.9);
    assert.deepEqual(["0.85", ".5", "1", "0.", "1e-9"].map(number.parseText), [0.85, 0.5, 1, 0, 1e-9]);
    for (const bad of ["x", "-1", "1e3", "/var/www", "", "1.01"]) assert.equal(number.parseText(bad), undefined, bad);
    assert.deepEqual(["5000", "500K", "2G"].map(byteRate.parseText), [5000, 512_000, 2_147_483_648]);
    for (const bad of ["", "fast", "10MB", "-1", "1T"]) assert.equal(byteRate.parseText(bad), undefined, bad);
  });
});
