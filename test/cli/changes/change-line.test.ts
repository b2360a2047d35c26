import assert from "node:assert/strict";
import { it } from "node:test";
import { formatChange } from "../../../src/cli/changes/change-line.ts";
import type { Change } from "../../../src/core/change.ts";

const updated: Change = {
  kind: "updated",
  page: {
    path: "/a%20b?c=1",
    sizeBytes: 12,
    lastModified: 1_795_140_000,
    mediaType: "text/html",
    digest: "AAAAAAAAAAA",
  },
};
const undigested: Change = { kind: "created", page: { ...updated.page, digest: undefined } };
const deleted: Change = { kind: "deleted", path: "/gone" };
const origin = "https://a.example";

it("writes changes as URLs, without deletions", () => {
  assert.equal(formatChange(updated, origin, "urls"), "https://a.example/a%20b?c=1\n");
  assert.equal(formatChange(deleted, origin, "urls"), "");
});

it("writes changes as lines with TABs", () => {
  const rest = "2026-11-20T02:00:00Z\t12\ttext/html";
  assert.equal(formatChange(updated, origin, "tsv"), `updated\t${rest}\tAAAAAAAAAAA\thttps://a.example/a%20b?c=1\n`);
  assert.equal(formatChange(undigested, origin, "tsv"), `created\t${rest}\t-\thttps://a.example/a%20b?c=1\n`);
  assert.equal(formatChange(deleted, origin, "tsv"), "deleted\t-\t-\t-\t-\thttps://a.example/gone\n");
});

it("writes changes as JSON lines", () => {
  assert.deepEqual(JSON.parse(formatChange(updated, origin, "json")), {
    change: "updated",
    url: "https://a.example/a%20b?c=1",
    lastModified: "2026-11-20T02:00:00Z",
    sizeBytes: 12,
    mediaType: "text/html",
    digest: "AAAAAAAAAAA",
  });
  assert.deepEqual(JSON.parse(formatChange(deleted, origin, "json")), {
    change: "deleted",
    url: "https://a.example/gone",
  });
});
