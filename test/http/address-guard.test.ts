import assert from "node:assert/strict";
import { isIP, isIPv6 } from "node:net";
import { test } from "node:test";
import type { FetchOutcome, FetchRequest } from "../../src/core/fetch-outcome.ts";
import { specialUseOf } from "../../src/http/address-guard.ts";
import { createFetcher, type FetcherOptions } from "../../src/http/fetcher.ts";
import { fc } from "../property.ts";
import { listenRaw, plainAnswer, type RawServer } from "./raw-server.ts";

// IANA IPv4 Special-Purpose Address Registry: the first and last address of each block, and their neighbours.
const blocks4: readonly (readonly [string, string, string])[] = [
  ["0.0.0.0", "0.255.255.255", "this network"],
  ["10.0.0.0", "10.255.255.255", "private use"],
  ["100.64.0.0", "100.127.255.255", "shared by a carrier's NAT"],
  ["127.0.0.0", "127.255.255.255", "loopback"],
  ["169.254.0.0", "169.254.255.255", "link-local"],
  ["172.16.0.0", "172.31.255.255", "private use"],
  ["192.0.0.0", "192.0.0.255", "protocol assignments"],
  ["192.0.2.0", "192.0.2.255", "documentation"],
  ["192.88.99.0", "192.88.99.255", "6to4 relays"],
  ["192.168.0.0", "192.168.255.255", "private use"],
  ["198.18.0.0", "198.19.255.255", "benchmarking"],
  ["198.51.100.0", "198.51.100.255", "documentation"],
  ["203.0.113.0", "203.0.113.255", "documentation"],
  ["224.0.0.0", "239.255.255.255", "multicast"],
  ["240.0.0.0", "255.255.255.255", "reserved"],
];

function numberOf(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function addressOf(number: number): string {
  return [24, 16, 8, 0].map((bits) => Math.floor(number / 2 ** bits) % 256).join(".");
}

function isSpecial(number: number): boolean {
  return blocks4.some(([first, last]) => number >= numberOf(first) && number <= numberOf(last));
}

for (const [first, last, use] of blocks4) {
  test(`${first} to ${last} is for ${use}, also where IPv6 carries it; its neighbours are not of it`, () => {
    for (const address of [first, addressOf(numberOf(first) + 1), addressOf(numberOf(last) - 1), last])
      for (const carrier of ["", "::ffff:", "64:ff9b::"]) assert.equal(specialUseOf(carrier + address), use);
    for (const number of [numberOf(first) - 1, numberOf(last) + 1]) {
      if (number < 0 || number > 0xffffffff || isSpecial(number)) continue;
      for (const carrier of ["", "::ffff:", "64:ff9b::"])
        assert.equal(specialUseOf(carrier + addressOf(number)), undefined, addressOf(number));
    }
  });
}

test("every other address of IPv4 is public, but where a cloud keeps its metadata", () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), (number) => {
      fc.pre(number !== numberOf("168.63.129.16"));
      assert.equal(specialUseOf(addressOf(number)) !== undefined, isSpecial(number));
    }),
    { numRuns: 2000 },
  );
});

for (const address of [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a9fe:a9fe",
  "fd00:ec2::254",
  "FD00:0EC2:0:0:0:0:0:254",
  "fd20:ce::254",
]) {
  test(`${address} gives a cloud's metadata`, () => assert.equal(specialUseOf(address), "metadata of a cloud"));
}

// IANA IPv6 Special-Purpose Address Registry, and RFC 4291 section 2.4.
const addresses6: readonly (readonly [string, string | undefined])[] = [
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["::2", "outside the global addresses"],
  // IPv4-compatible addresses are deprecated and lead nowhere.
  ["::127.0.0.1", "outside the global addresses"],
  ["::8.8.8.8", "outside the global addresses"],
  ["::ffff:0:8.8.8.8", "outside the global addresses"],
  ["64:ff9a:ffff::", "outside the global addresses"],
  ["64:ff9b:0:1::8.8.8.8", "outside the global addresses"],
  ["64:ff9b:1::8.8.8.8", "translation within a network"],
  ["64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "translation within a network"],
  ["64:ff9b:2::", "outside the global addresses"],
  ["100::", "discarded"],
  ["100::ffff:ffff:ffff:ffff", "discarded"],
  ["100:0:0:1::", "outside the global addresses"],
  ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "outside the global addresses"],
  ["2000::", undefined],
  ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["2001::", "protocol assignments"],
  ["2001:0:ffff::", "protocol assignments"],
  ["2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol assignments"],
  ["2001:200::", undefined],
  ["2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["2001:db8::", "documentation"],
  ["2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"],
  ["2001:db9::", undefined],
  ["2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", undefined],
  ["2002::", "6to4"],
  ["2002:7f00:1::", "6to4"],
  ["2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "6to4"],
  ["2003::", undefined],
  ["2606:4700:4700::1111", undefined],
  ["3ffe:ffff::", undefined],
  ["3fff::", "documentation"],
  ["3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"],
  ["3fff:1000::", undefined],
  ["4000::", "outside the global addresses"],
  ["5f00::", "segment routing"],
  ["5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "segment routing"],
  ["5f01::", "outside the global addresses"],
  ["fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "outside the global addresses"],
  ["fc00::", "private use"],
  ["fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private use"],
  ["fe00::", "outside the global addresses"],
  ["fe80::", "link-local"],
  ["febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"],
  ["fec0::", "site-local"],
  ["feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local"],
  ["ff00::", "multicast"],
  ["ff02::1", "multicast"],
  ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"],
  ["fe80::1%lo", "no address for everybody"],
  ["2606:4700::1%lo", "no address for everybody"],
  ["", "no address for everybody"],
  ["localhost", "no address for everybody"],
  ["127.1", "no address for everybody"],
];

for (const [address, use] of addresses6) {
  test(`${address} is ${use ?? "public"}`, () => assert.equal(specialUseOf(address), use));
}

test("no address of IPv6 outside 2000::/3 is public, unless it carries one of IPv4", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      fc.pre(isIP(address) === 6);
      if (specialUseOf(address) !== undefined) return;
      const start = new URL(`http://[${address}]/`).hostname.slice(1);
      assert.match(start, /^(?:[23][0-9a-f]{3}:|::ffff:|64:ff9b::)/);
    }),
    { numRuns: 2000 },
  );
});

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

test("a name that moved inside is left alone by all that share what they know", async () => {
  await using server = await listen();
  const origin = named(server, "site.example");
  const shared = { allowedPrivateOrigins: [origin], knownPublic: new Set<string>(), connectTimeoutMs: 100 };
  assert.notEqual(await ask(origin, { ...shared, ...answerNames(["2000::1"]) }), "fetched");
  const before = server.sockets.length;
  assert.equal(await ask(origin, { ...shared, ...answerNames(["127.0.0.1"]) }), "private-address");
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
