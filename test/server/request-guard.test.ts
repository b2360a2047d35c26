import assert from "node:assert/strict";
import { test } from "node:test";
import { isAskedByName, isLoopback, isOwnRequest, isSameSecret } from "../../src/server/request-guard.ts";

test("only addresses of this machine alone are loopback", () => {
  for (const host of ["127.0.0.1", "127.9.9.9", "::1", "localhost"]) assert.ok(isLoopback(host), host);
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.evil.example", "127.0.0.1.evil.example", "1270.0.0.1"])
    assert.ok(!isLoopback(host), host);
});

test("a name of somebody else that leads to this address is refused", () => {
  const names = new Set(["crawler.example.net", "10.0.0.5"]);
  for (const host of ["localhost:9464", "127.0.0.1", "[::1]:80", "Crawler.example.net:1", "10.0.0.5:9464"])
    assert.ok(isAskedByName({ host }, names), host);
  for (const host of [
    ...["evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.6", "", "[::2]"],
    ...["localhost@evil.example", "evil.example#localhost", "localhost, evil.example", "crawler.example.net."],
  ])
    assert.ok(!isAskedByName({ host }, names), host);
  assert.ok(isAskedByName({}, names), "no Host: HTTP/1.0, which no browser speaks");
});

test("a request that changes something comes from this server's own page, or from no browser", () => {
  const host = "127.0.0.1:9464";
  const own = `http://${host}`;
  assert.ok(isOwnRequest({ host }));
  assert.ok(isOwnRequest({ host, origin: own, "sec-fetch-site": "same-origin" }));
  assert.ok(isOwnRequest({ host, origin: `https://${host}` }), "behind a proxy with TLS");
  for (const origin of ["null", "http://evil.example", "http://127.0.0.1:9465", "http://localhost:9464", `${own}.evil`])
    assert.ok(!isOwnRequest({ host, origin }), origin);
  for (const site of ["cross-site", "same-site", "none"])
    assert.ok(!isOwnRequest({ host, origin: own, "sec-fetch-site": site }), site);
});

test("a secret is the right one only as a whole", () => {
  assert.ok(isSameSecret("abc", "abc"));
  for (const given of ["", "ab", "abcd", "abd", "ABC", "abç"]) assert.ok(!isSameSecret(given, "abc"), given);
});
