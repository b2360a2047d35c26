import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WebScope } from "../../../src/crawler/web/web-scope.ts";
import { filterOf } from "../../../src/crawler/web/web-visits.ts";
import { namedTypes } from "../../../src/http/index.ts";

const from = { ...{ depth: 0, inSite: 0, hops: 0 }, url: "https://a.example/", origin: "https://a.example" };

function scope(queriesOf?: (origin: string, path: string, limit: number) => readonly string[]): WebScope {
  return new WebScope(
    {},
    { filter: filterOf({}), mediaTypes: namedTypes, now: 0, queriesOf },
    { has: () => true, count: () => 1, addressOf: () => undefined, pagesOf: () => 0 },
  );
}

describe("WebScope", () => {
  it("remembers links that it admitted lately, in bounded memory however long they are", () => {
    const tested = scope();
    const long = (at: number): string => `https://a.example/${at}/${"x".repeat(1900)}`;
    assert.notEqual(tested.admit(long(0), from), undefined);
    assert.equal(tested.admit(long(0), from), undefined);
    for (let at = 1; at < 10_000; at++) tested.admit(long(at), from);
    assert.notEqual(tested.admit(long(0), from), undefined);
  });

  it("counts queries of earlier runs among those of a path", () => {
    const asked: unknown[][] = [];
    const tested = scope((...what) => {
      asked.push(what);
      return Array.from({ length: 199 }, (_, at) => `/x?known=${at}`);
    });
    const admits = (query: string): boolean => tested.admit(`https://a.example/x?${query}`, from) !== undefined;
    assert.deepEqual(["new=1", "new=2", "known=5"].map(admits), [true, false, true]);
    assert.deepEqual(asked, [["https://a.example", "/x", 200]]);
    assert.deepEqual(tested.heldBack, { trap: 1 });
  });
});
