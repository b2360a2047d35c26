import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopeOptions } from "../../../../src/crawler/engine/discovery/link-scope.ts";
import { LinkScope } from "../../../../src/crawler/engine/discovery/link-scope.ts";

const seeds = ["https://www.a.example/docs/index.html"];
const verdicts: ReadonlyArray<readonly [Partial<ScopeOptions>, string, string]> = [
  [{}, "http://www.a.example/x", "in"],
  [{}, "https://a.example/x", "in"],
  [{ hosts: "same" }, "https://a.example/x", "other-host"],
  [{}, "https://b.a.example/x", "other-host"],
  [{ hosts: "subdomains" }, "https://b.a.example/x", "in"],
  [{ hosts: "subdomains" }, "https://ba.example/x", "other-host"],
  [{}, "https://www.a.example:8443/x", "other-host"],
  [{}, "https://a.example.evil.example/x", "other-host"],
  [{ isPathBound: true }, "https://www.a.example/docs/a/b", "in"],
  [{ isPathBound: true }, "https://www.a.example/docs", "other-path"],
  [{ isPathBound: true }, "https://www.a.example/docs/../x", "other-path"],
  [{ exclude: [(url) => url.endsWith(".zip")] }, "https://a.example/a.zip", "excluded"],
  [{ include: [(url) => url.endsWith(".html")] }, "https://a.example/a.zip", "not-included"],
  [{}, "mailto:a@a.example", "not-a-page-address"],
  [{}, "/x", "not-a-page-address"],
  [{ hosts: "subdomains", seeds: ["http://127.0.0.1:8080/"] }, "http://127.0.0.1:8081/", "other-host"],
];

for (const [options, url, verdict] of verdicts) {
  test(`scope: ${url} with ${Object.keys(options).join(", ") || "no options"} is ${verdict}`, () => {
    assert.equal(new LinkScope({ seeds, ...options }).judge(url, 1), verdict);
  });
}

test("scope: depth and nofollow", () => {
  const scope = new LinkScope({ seeds, maxDepth: 2 });
  const url = "https://www.a.example/";
  assert.deepEqual(
    [scope.judge(url, 2), scope.judge(url, 3), scope.judge(url, 1, true)],
    ["in", "too-deep", "nofollow"],
  );
  assert.equal(new LinkScope({ seeds, followsNofollow: true }).judge(url, 1, true), "in");
});
