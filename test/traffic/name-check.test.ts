import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { exportSite } from "../../src/exporter/index.ts";
import { hasKnownDomains, NameCheck } from "../../src/traffic/name-check.ts";
import { readTraffic } from "../../src/traffic/read-traffic.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { NameServer } from "./name-server.ts";

const ipv6Name = `5.${"0.".repeat(15)}1.0.0.0.1.0.8.4.0.6.8.4.1.0.0.2.ip6.arpa`;
const zone = {
  "1.66.249.66.in-addr.arpa": [["PTR", "crawl-66-249-66-1.googlebot.com"]],
  "crawl-66-249-66-1.googlebot.com": [["A", "66.249.66.1"]],
  // Says that it is Google's, which nobody confirms.
  "2.2.0.192.in-addr.arpa": [["PTR", "crawl-66-249-66-1.googlebot.com"]],
  "3.2.0.192.in-addr.arpa": [["PTR", "googlebot.com.evil.example"]],
  "4.2.0.192.in-addr.arpa": [["PTR", "evilgooglebot.com"]],
  "5.2.0.192.in-addr.arpa": [["PTR", "gone.googlebot.com"]],
  [ipv6Name]: [["PTR", "six.search.msn.com"]],
  // A machine of a customer.
  "7.2.0.192.in-addr.arpa": [["PTR", "7.2.0.192.bc.googleusercontent.com"]],
  "7.2.0.192.bc.googleusercontent.com": [["A", "192.0.2.7"]],
  "six.search.msn.com": [["AAAA", "2001:4860:4801:1:0:0:0:5"]],
} as const;

test("a crawler's address is verified by a name below its operator's domain that has this address", {
  timeout: 30_000,
}, async () => {
  using server = new NameServer(zone);
  const check = new NameCheck(await server.listen());
  for (const [address, crawler, expected] of [
    ["66.249.66.1", "Googlebot", true],
    ["66.249.66.1", "Googlebot-Image", true],
    ["66.249.66.1", "bingbot", false],
    ["192.0.2.2", "Googlebot", false],
    ["192.0.2.3", "Googlebot", false],
    ["192.0.2.4", "Googlebot", false],
    ["192.0.2.5", "Googlebot", false],
    ["192.0.2.6", "Googlebot", false],
    ["192.0.2.7", "Googlebot", false],
    ["no address", "Googlebot", undefined],
    ["2001:4860:4801:1::5", "bingbot", true],
    // The server fails: nothing is known.
    ["192.0.2.9", "Googlebot", undefined],
    ["66.249.66.1", "OwnBot", undefined],
  ] as const)
    assert.equal(await check.check(address, crawler), expected, `${address} ${crawler}`);
  assert.deepEqual(["Googlebot", "OwnBot"].map(hasKnownDomains), [true, false]);
});

test("a slow answer is waited for, however fast the others were", { timeout: 30_000 }, async () => {
  using server = new NameServer(zone, "2.2.0.192.in-addr.arpa");
  const check = new NameCheck(await server.listen());
  for (let at = 0; at < 10; at++) assert.equal(await check.check("66.249.66.1", "Googlebot"), true);
  assert.equal(await check.check("192.0.2.2", "Googlebot"), false);
});

test("names are checked for what a log has", { timeout: 30_000 }, async () => {
  using server = new NameServer(zone);
  const lineOf = (address: string) =>
    `${address} - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 9 "-" "Mozilla/5.0 (compatible; Googlebot/2.1)"\n`;
  const input = async function* () {
    yield Buffer.from(["66.249.66.1", "192.0.2.2", "192.0.2.9", "66.249.66.1"].map(lineOf).join(""));
  };
  const { crawlers } = await readTraffic({ logs: ["-"], input, resolve: await server.listen() });
  const told = crawlers.map(({ verified, counts }) => [verified, counts.requests]);
  assert.deepEqual(
    told.sort((a, b) => Number(b[1]) - Number(a[1]) || String(a[0]).localeCompare(String(b[0]))),
    [
      [true, 2],
      [false, 1],
      [null, 1],
    ],
  );
  await assert.rejects(readTraffic({ logs: ["-"], input, resolve: "nonsense" }), { code: "bad-option" });
});

test("each name that one address goes by is checked, and an IPv4 address also as one of IPv6", {
  timeout: 30_000,
}, async () => {
  using server = new NameServer(zone);
  const lines = [
    ["66.249.66.1", "bingbot"],
    ["::ffff:66.249.66.1", "Googlebot"],
    ["::FFFF:66.249.66.1", "bingbot"],
  ].map(
    ([address, name]) =>
      `${address} - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 9 "-" "Mozilla/5.0 (compatible; ${name}/2.0)"\n`,
  );
  const input = async function* () {
    yield Buffer.from(lines.join(""));
  };
  using folder = makeTempFolder();
  const clients = join(folder.path, "clients");
  const { crawlers } = await readTraffic({ logs: ["-"], input, clients, resolve: await server.listen() });
  assert.deepEqual(crawlers.map(({ name, verified, counts }) => [name, verified, counts.requests]).sort(), [
    ["Googlebot", true, 1],
    ["bingbot", false, 2],
  ]);
  assert.equal(readFileSync(clients, "utf8").split("66.249.66.0/24").length - 1, 3);
});

test("what is counted by name stays when addresses are checked", { timeout: 30_000 }, async () => {
  using server = new NameServer(zone);
  using temp = makeTempFolder();
  const site = join(temp.path, "site");
  mkdirSync(site);
  for (const name of ["index.html", "a.html", "b.html"]) writeFileSync(join(site, name), name);
  await exportSite({ docroot: site, baseUrl: "https://example.org/", stateDir: join(temp.path, "state") });
  const lineOf = (address: string, path: string) =>
    `${address} - - [10/Oct/2099:13:55:36 +0000] "GET ${path} HTTP/1.1" 200 9 "-" "Googlebot/2.1"\n`;
  const lines = [lineOf("66.249.66.1", "/a.html"), lineOf("66.249.66.1", "/a.html"), lineOf("192.0.2.2", "/b.html")];
  const read = async (resolve: object) => {
    const input = async function* () {
      yield Buffer.from(lines.join(""));
    };
    const { crawlers, history } = await readTraffic({ logs: ["-"], input, archives: site, ...resolve });
    return { seen: crawlers.map(({ peak, kinds, pages }) => ({ peak, kinds, pages })), history };
  };
  const before = await read({});
  const after = await read({ resolve: await server.listen() });
  assert.deepEqual(after.seen, [before.seen[0], before.seen[0]]);
  assert.deepEqual(after.history, before.history);
  assert.deepEqual([before.seen[0]?.peak.requests, before.history?.neverRequested], [3, 1]);
});

test("the address of a proxy before the server makes nobody an impostor", async () => {
  using temp = makeTempFolder();
  const file = join(temp.path, "ranges");
  writeFileSync(file, "66.249.64.0/19\n10.9.0.0/16\n");
  const addresses = ["127.0.0.1", "10.1.2.3", "192.168.1.1", "172.20.0.1", "::1", "fd00::1", "::ffff:10.0.0.1"];
  const input = async function* () {
    for (const address of [...addresses, "10.9.1.1", "9.9.9.9"])
      yield Buffer.from(`${address} - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 9 "-" "Googlebot/2.1"\n`);
  };
  const { crawlers } = await readTraffic({ logs: ["-"], input, ranges: [`Googlebot=${file}`] });
  const told = crawlers.map(({ verified, counts }) => `${verified} ${counts.requests}`);
  assert.deepEqual(told.sort(), ["false 1", "null 7", "true 1"]);
  // No name server is there, so it is not asked.
  const check = new NameCheck("127.0.0.1:9");
  for (const address of addresses) assert.equal(await check.check(address, "Googlebot"), undefined, address);
});
