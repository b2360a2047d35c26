import assert from "node:assert/strict";
import { test } from "node:test";
import { packageEntryName } from "../../../src/formats/resourcesync/resource-sync.ts";

test("packageEntryName gives the name in the package, with and without the slash before it, and nothing that leads out", () => {
  const rows: Readonly<Record<string, string | undefined>> = {
    "/resources/0": "resources/0",
    "resources/0": "resources/0",
    "/a": "a",
    a: "a",
    "": undefined,
    "/": undefined,
    "//a": undefined,
    "/a//b": undefined,
    "/a/": undefined,
    "/./a": undefined,
    "/a/../b": undefined,
    "/..": undefined,
    "/C:/a": undefined,
    "c:a": undefined,
    "/a\\b": undefined,
    "/a\u0000b": undefined,
    "/a\u007fb": undefined,
    "/..a/b..": "..a/b..",
    [`/${"x".repeat(2048)}`]: "x".repeat(2048),
    [`/${"x".repeat(2049)}`]: undefined,
  };
  for (const [path, name] of Object.entries(rows)) assert.equal(packageEntryName(path), name, path.slice(0, 40));
});
