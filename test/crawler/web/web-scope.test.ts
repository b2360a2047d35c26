import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WebScopeOptions } from "../../../src/crawler/web/web-options.ts";
import { domainOf, parseScopeDomain, WebScope } from "../../../src/crawler/web/web-scope.ts";
import { filterOf } from "../../../src/crawler/web/web-visits.ts";
import { namedTypes } from "../../../src/http/index.ts";

const from = { ...{ depth: 0, inSite: 0, hops: 0 }, url: "https://a.example/", origin: "https://a.example" };

/** A scope that knows no site. */
function emptyScope(options: WebScopeOptions): WebScope {
  const known = { has: () => false, count: () => 0, addressOf: () => undefined, pagesOf: () => 0 };
  return new WebScope(options, { filter: filterOf({}), mediaTypes: namedTypes, now: 0 }, known);
}

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

  it("bounds the sites of a domain, whatever labels their names have", () => {
    const tested = emptyScope({ maxDomainSites: 2 });
    const names = ["a1-", "-a2", "a*3", "a~4", "a_5", "a6"];
    const admitted = names.filter((name) => tested.admit(`https://${name}.evil.example/`, from) !== undefined);
    assert.deepEqual([admitted.length, tested.heldBack], [2, { "domain-sites": 4 }]);
  });

  it("holds known sites to the domains that are wanted, too", () => {
    const options: WebScopeOptions = { scopeDomains: ["*.BÜCHER.example."] };
    const known = { has: () => true, count: () => 1, addressOf: () => undefined, pagesOf: () => 0 };
    const tested = new WebScope(options, { filter: filterOf({}), mediaTypes: namedTypes, now: 0 }, known);
    for (const host of ["xn--bcher-kva.example", "www.xn--bcher-kva.example", "xn--bcher-kva.example."])
      assert.notEqual(tested.admit(`https://${host}/`, from), undefined, host);
    assert.equal(tested.admit("https://a.example/x", from), undefined);
  });

  it("counts no hop where a seed redirects within its domain", () => {
    const tested = emptyScope({ maxHops: 0 });
    const redirected = tested.admit("https://www.a.example/", { ...from, origin: "http://a.example" }, 0);
    assert.deepEqual(redirected?.found, { depth: 0, inSite: 0, hops: 0 });
    assert.equal(tested.admit("https://www.a.example/x", { ...from, origin: "http://a.example" }), undefined, "a link");
    assert.equal(tested.admit("https://b.example/", from, 0), undefined, "another domain");
    assert.equal(tested.admit("https://c.a.example/", { ...from, depth: 1 }, 0), undefined, "no seed");
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

describe("domainOf", () => {
  for (const [host, domain] of [
    ["a.b.example.co.uk", "example.co.uk"],
    ["me.github.io", "me.github.io"],
    ["a1-.evil.example", "evil.example"],
    ["evil.example.", "evil.example"],
    ["localhost", "localhost"],
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::6", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
  ] as const)
    it(`of ${host} is ${domain}`, () => assert.equal(domainOf(host), domain));
});

it("refuses what is no domain to keep to", () => {
  for (const text of ["https://example.org", "example.org/x", "example.org:80", "", "*.", "a b"])
    assert.throws(() => parseScopeDomain(text), { code: "bad-option" }, text);
  assert.equal(parseScopeDomain("DE"), "de");
});
