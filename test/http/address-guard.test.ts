import assert from "node:assert/strict";
import { isIPv6 } from "node:net";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { createFetcher, type FetcherOptions } from "../../src/http/fetcher.ts";
import { listenRaw, plainAnswer, type RawServer } from "./raw-server.ts";

/** A name server that gives a list of addresses for each time that it is asked, the last for ever. */
function answerNames(...answers: readonly (readonly string[])[]): Required<Pick<FetcherOptions, "resolve">> {
  let asked = 0;
  return {
    resolve: (_, options, callback) => {
      assert.equal(options.all, true);
      const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
      process.nextTick(
        callback,
        null,
        addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
      );
    },
  };
}

async function ask(origin: string, options: FetcherOptions, request: Partial<FetchRequest> = {}): Promise<string> {
  await using fetcher = createFetcher({ connectTimeoutMs: 1000, ...options });
  return reasonOf(await fetcher.get({ origin, path: "/", maxBytes: 1000, timeoutMs: 30_000, ...request }));
}

function reasonOf(outcome: FetchOutcome): string {
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

function listen(): Promise<RawServer> {
  return listenRaw((socket) => socket.write(plainAnswer(200, ["Connection: close"], "inside")));
}

function named(server: RawServer, name: string): string {
  return `http://${name}:${server.port}`;
}

// WHATWG URL Standard section 3.5: all of these are one address.
for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "0"]) {
  test(`http://${host} is not asked unless that is allowed`, async () => {
    await using server = await listen();
    assert.equal(await ask(named(server, host), {}), "private-address");
    assert.equal(await ask(named(server, host), { allowedPrivateOrigins: ["http://127.0.0.1"] }), "private-address");
    assert.equal(server.sockets.length, 0);
    if (host === "[::1]" || host === "[::ffff:127.0.0.1]") return;
    assert.equal(await ask(named(server, host), { allowPrivate: true }), "fetched");
    assert.equal(await ask(named(server, host), { allowedPrivateOrigins: [named(server, host)] }), "fetched");
  });
}

test("a name that leads to this machine is not asked, unless the user named it", async () => {
  await using server = await listen();
  const origin = named(server, "localhost");
  assert.equal(await ask(origin, {}), "private-address");
  assert.equal(server.sockets.length, 0);
  assert.equal(await ask(origin, { allowedPrivateOrigins: [`${origin}/`] }), "fetched");
  assert.equal(await ask(origin, { allowPrivate: true }), "fetched");
});

for (const address of [
  "10.0.0.1",
  "169.254.169.254",
  "::ffff:127.0.0.1",
  "64:ff9b::7f00:1",
  "fd00:ec2::254",
  "0.0.0.0",
]) {
  test(`a name whose address is ${address} is not asked`, async () => {
    assert.equal(await ask("http://site.example", answerNames([address])), "private-address");
    assert.equal(await ask("https://site.example", answerNames([address])), "private-address");
  });
}

test("of several addresses none is tried that is not public", async () => {
  await using server = await listen();
  const options = { ...answerNames(["127.0.0.1", "2000::1"]), connectTimeoutMs: 100 };
  assert.notEqual(await ask(named(server, "site.example"), options), "fetched");
  assert.equal(server.sockets.length, 0);
});

test("a name that was inside may stay there, and one that moves inside is left alone", async () => {
  await using server = await listen();
  const origin = named(server, "site.example");
  const allowedPrivateOrigins = [origin];
  assert.equal(await ask(origin, { allowedPrivateOrigins, ...answerNames(["127.0.0.1"]) }), "fetched");
  // Not a public address, but one of which the table says so: nothing listens where this machine could reach it.
  await using fetcher = createFetcher({
    allowedPrivateOrigins,
    connectTimeoutMs: 100,
    ...answerNames(["2000::1"], ["127.0.0.1"]),
  });
  const request = { origin, path: "/", maxBytes: 1000, timeoutMs: 300 };
  assert.notEqual(reasonOf(await fetcher.get(request)), "fetched");
  const before = server.sockets.length;
  assert.equal(reasonOf(await fetcher.get(request)), "private-address");
  assert.equal(server.sockets.length, before);
});

for (const address of ["169.254.169.254", "169.254.1.1", "fd00:ec2::254", "fe80::1"]) {
  test(`a name that the user gave does not lead to ${address}`, async () => {
    const origin = "http://site.example";
    assert.equal(await ask(origin, { allowedPrivateOrigins: [origin], ...answerNames([address]) }), "private-address");
  });
}

test("a name is judged at each connection", async () => {
  await using server = await listen();
  const origin = named(server, "site.example");
  await using fetcher = createFetcher({
    allowedPrivateOrigins: [origin],
    ...answerNames(["127.0.0.1"], ["169.254.169.254"]),
  });
  const request = { origin, path: "/", maxBytes: 1000, timeoutMs: 30_000 };
  assert.equal(reasonOf(await fetcher.get(request)), "fetched");
  assert.equal(reasonOf(await fetcher.get(request)), "private-address");
});

test("a name without an address is not asked", async () => {
  assert.equal(await ask("http://site.example", answerNames([])), "private-address");
});

for (const location of [
  "http://localhost:PORT/",
  "http://127.0.0.2:PORT/",
  "http://[::1]:PORT/",
  "http://2130706434:PORT/",
  "//127.0.0.3:PORT/",
]) {
  test(`a redirect from a named site to ${location} is refused where redirects may leave the origin`, async () => {
    await using server = await listenRaw((socket) => {
      socket.write(plainAnswer(302, [`Location: ${location.replace("PORT", String(server.port))}`]));
    });
    const outcome = await ask(
      server.origin,
      { allowedPrivateOrigins: [server.origin] },
      { crossOrigin: true, maxRedirects: 5 },
    );
    assert.equal(outcome, "private-address");
    assert.equal(server.heads.length, 1);
  });
}

for (const location of ["http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://0/"]) {
  test(`a redirect to ${location} is refused`, async () => {
    await using server = await listenRaw((socket) => socket.write(plainAnswer(302, [`Location: ${location}`])));
    const options = { allowedPrivateOrigins: [server.origin] };
    assert.equal(await ask(server.origin, options, { crossOrigin: true, maxRedirects: 5 }), "private-address");
    assert.equal(await ask(server.origin, options, { maxRedirects: 5 }), "redirect-elsewhere");
  });
}

test("a redirect to another port is refused", async () => {
  await using server = await listenRaw((socket) => socket.write(plainAnswer(302, ["Location: http://127.0.0.1:25/"])));
  const options = { allowedPrivateOrigins: [server.origin] };
  assert.equal(await ask(server.origin, options, { crossOrigin: true, maxRedirects: 5 }), "redirect-elsewhere");
});
