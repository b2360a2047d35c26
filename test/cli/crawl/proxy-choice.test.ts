import assert from "node:assert/strict";
import { test } from "node:test";
import { findProxy } from "../../../src/cli/crawl/proxy-choice.ts";

const [http, https] = ["http://example.org/", "https://www.example.org/"];
const p = "http://p:1";

const rows: readonly (readonly [string, Readonly<Record<string, string>>, string | undefined])[] = [
  [http, {}, undefined],
  [http, { HTTP_PROXY: p }, p],
  [http, { http_proxy: p, HTTP_PROXY: "http://q:1" }, p],
  [http, { HTTPS_PROXY: p }, undefined],
  [https, { HTTPS_PROXY: p, HTTP_PROXY: "http://q:1" }, p],
  [https, { https_proxy: "p:1" }, p],
  [http, { HTTP_PROXY: "" }, undefined],
  [http, { HTTP_PROXY: p, NO_PROXY: "*" }, undefined],
  [http, { HTTP_PROXY: p, NO_PROXY: "a.example, example.org" }, undefined],
  [https, { HTTPS_PROXY: p, no_proxy: "Example.ORG" }, undefined],
  [https, { HTTPS_PROXY: p, NO_PROXY: ".example.org" }, undefined],
  [https, { HTTPS_PROXY: p, NO_PROXY: "*.example.org" }, undefined],
  [https, { HTTPS_PROXY: p, NO_PROXY: "example.org:443" }, undefined],
  [https, { HTTPS_PROXY: p, NO_PROXY: "example.org:8443,ample.org,,." }, p],
  ["http://localhost:8080/", { HTTP_PROXY: p }, undefined],
  ["http://127.0.0.7/", { HTTP_PROXY: p }, undefined],
  ["http://[::1]/", { HTTP_PROXY: p }, undefined],
];

for (const [url, env, proxy] of rows)
  test(`${url} with ${JSON.stringify(env)} has ${proxy ?? "no proxy"}`, () => {
    assert.equal(findProxy(url, env), proxy);
  });
