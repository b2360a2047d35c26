import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings, yargsOptionsOf } from "../../../src/cli/terminal/option.ts";
import { mediaTypes } from "../../../src/config/list-kind.ts";
import { settingRow as row } from "../../../src/config/setting.ts";
import { flag, numberBetween, wholeNumber } from "../../../src/config/setting-kind.ts";

const table = {
  pages: row("pages", wholeNumber(1, 9), "Pages", { alias: "p", default: "`3`", former: { option: "sheets" } }),
  share: row("share", numberBetween(0, 1, 0.5), "Share"),
  types: row("types", mediaTypes, "Types"),
  isOld: row("old", flag, "Old", { isDeprecated: true }),
};

test("settings are read from the command line, under their names and those of earlier versions", () => {
  const args = { pages: "3", share: "", types: ["text/html, image/*", "TEXT/CSS"], old: true, other: "x" };
  const wanted = { pages: 3, share: 0.5, types: ["text/html", "image/*", "TEXT/CSS"], isOld: true };
  assert.deepEqual(readSettings(args, table), wanted);
  assert.deepEqual(readSettings({ sheets: "4", old: false }, table), { pages: 4 });
  assert.deepEqual(readSettings({}, table), {});
});

test("what is no value is refused", () => {
  for (const [args, message] of [
    [{ pages: "" }, "--pages needs a value."],
    [{ types: ["text/html", ""] }, "--types needs a value."],
    [{ pages: ["1", "2"] }, "--pages is given more than once."],
    [{ pages: "1", sheets: "1" }, "--pages is given more than once."],
    [{ pages: "10" }, '--pages "10": not a whole number from 1 to 9.'],
    [{ sheets: "x" }, '--pages "x": not a whole number from 1 to 9.'],
  ] as const)
    assert.throws(() => readSettings(args, table), { code: "bad-option", message });
});

test("help says the default, and nothing of what is deprecated", () => {
  assert.deepEqual(yargsOptionsOf(table), {
    pages: { type: "string", alias: "p", describe: "Pages (default: 3)" },
    sheets: { type: "string", hidden: true },
    share: { type: "string", describe: "Share" },
    types: { type: "string", describe: "Types (repeatable)" },
    old: { type: "boolean", hidden: true },
  });
});
