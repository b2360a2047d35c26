import assert from "node:assert/strict";
import { test } from "node:test";
import { hostOfName, isOfSite } from "../../src/graph/node-name.ts";

const hosts: ReadonlyArray<readonly [string, string]> = [
  ["org.example.www", "www.example.org"],
  ["org.example", "example.org"],
  ["https://www.example.org:8443/a?b", "www.example.org"],
  ["http://[::1]/", "[::1]"],
  ["://", "://"],
];

for (const [name, host] of hosts) test(`the host of ${name}`, () => assert.equal(hostOfName(name), host));

test("a site has the hosts below it, and none that only ends alike", () => {
  assert.equal(isOfSite("org.example", "example.org"), true);
  assert.equal(isOfSite("org.example.www", "example.org"), true);
  assert.equal(isOfSite("http://www.example.org/a", "example.org"), true);
  assert.equal(isOfSite("org.badexample", "example.org"), false);
  assert.equal(isOfSite("org.example", "www.example.org"), false);
});
