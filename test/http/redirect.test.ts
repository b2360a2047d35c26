import assert from "node:assert/strict";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { createLocalFetcher, listenRaw, plainAnswer, type RawServer } from "./raw-server.ts";

async function getFrom(server: RawServer, request: Partial<FetchRequest> = {}): Promise<FetchOutcome> {
  await using fetcher = createLocalFetcher();
  return await fetcher.get({
    origin: server.origin,
    path: "/a/b?c",
    maxBytes: 1000,
    timeoutMs: 30_000,
    maxRedirects: 3,
    ...request,
  });
}

function listenRedirect(location: string, status = 301): Promise<RawServer> {
  return listenRaw((socket, head) => {
    const isFirst = head.startsWith("GET /a/b?c ");
    socket.write(
      isFirst ? plainAnswer(status, [`Location: ${location}`], "moved") : plainAnswer(200, [], "here"),
      "latin1",
    );
  });
}

const followed: readonly (readonly [string, string])[] = [
  ["/x?y#z", "/x?y"],
  ["x", "/a/x"],
  ["?q", "/a/b?q"],
  ["../../../x", "/x"],
  ["%2e%2e/x", "/x"],
  ["/ä b".replace("ä", "\xc3\xa4"), "/%C3%A4%20b"],
  ["/\xe4", "/%E4"],
];

for (const [location, path] of followed) {
  test(`${JSON.stringify(location)} leads to ${path}`, async () => {
    await using server = await listenRedirect(location);
    const outcome = await getFrom(server);
    assert.ok(outcome.kind === "fetched");
    assert.equal(outcome.finalPath, path);
    assert.equal(outcome.requests, 2);
    assert.equal(outcome.receivedBytes, 9);
    assert.equal(server.sockets.length, 1);
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`${status} is followed`, async () => {
    await using server = await listenRedirect("/x", status);
    assert.equal((await getFrom(server)).kind, "fetched");
  });
}

const refused: readonly (readonly [string, string])[] = [
  ["http://elsewhere.invalid/", "redirect-elsewhere"],
  ["//elsewhere.invalid/", "redirect-elsewhere"],
  ["\\\\elsewhere.invalid/", "redirect-elsewhere"],
  ["http://127.0.0.1:1/", "redirect-elsewhere"],
  ["http://127.0.0.1@elsewhere.invalid/", "redirect-elsewhere"],
  ["ftp://127.0.0.1/", "redirect-elsewhere"],
  ["file:///etc/passwd", "redirect-elsewhere"],
  ["javascript:alert(1)", "redirect-elsewhere"],
  ["data:,x", "redirect-elsewhere"],
  ["http://[", "protocol"],
  ["", "protocol"],
];

for (const [location, reason] of refused) {
  test(`${JSON.stringify(location)} is not followed: ${reason}`, async () => {
    await using server = await listenRedirect(location);
    const outcome = await getFrom(server);
    assert.equal(outcome.kind === "failed" && outcome.reason, reason);
    assert.equal(server.heads.length, 1);
  });
}

test("even where redirects may leave the origin they stay on HTTP", async () => {
  await using server = await listenRedirect("ftp://127.0.0.1/");
  const outcome = await getFrom(server, { crossOrigin: true });
  assert.equal(outcome.kind === "failed" && outcome.reason, "redirect-elsewhere");
});

test("redirects are bounded, and none are followed unless asked", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(302, ["Location: /again"])));
  for (const [maxRedirects, requests] of [
    [0, 1],
    [1, 2],
    [3, 4],
  ] as const) {
    const outcome = await getFrom(server, { maxRedirects });
    assert.equal(outcome.kind === "failed" && outcome.reason, "redirect-loop");
    assert.equal(outcome.requests, requests);
  }
});

test("a redirect to another origin takes no secrets there", async () => {
  await using there = await listenRaw((socket) => socket.write(plainAnswer(200, [], "there")));
  await using here = await listenRedirect(`${there.origin}/x`);
  const headers = { authorization: "Basic xyz", cookie: "a=b", "x-plain": "c" };
  const outcome = await getFrom(here, { crossOrigin: true, headers });
  assert.equal(outcome.kind === "fetched" && outcome.finalPath, "/x");
  assert.match(here.heads[0] ?? "", /authorization: Basic xyz\r\ncookie: a=b\r\nx-plain: c/);
  assert.match(there.heads[0] ?? "", /x-plain: c/);
  assert.doesNotMatch(there.heads[0] ?? "", /authorization|cookie/);
});
