import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraffic } from "../../src/traffic/read-traffic.ts";

const browser = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0";
const lineOf = (address: string, path: string, agent: string, day = "10") =>
  `${address} - - [${day}/Oct/2026:13:55:36 +0000] "GET ${path} HTTP/1.1" 200 5000 "-" "${agent}"\n`;
const networks = Array.from({ length: 9 }, (_, at) => `203.0.${at}.7`);

async function count(lines: readonly string[], format?: string) {
  const input = async function* () {
    yield Buffer.from(lines.join(""));
  };
  return await readTraffic({ logs: ["-"], input, ...(format !== undefined && { format }) });
}

test("who goes by the name of a program, or by none, did not ask for what another did", async () => {
  const once = networks.flatMap((address) => [
    lineOf(address, "/install.sh", "curl/8.1"),
    lineOf(address, "/robots.txt", browser),
    lineOf(address, "/", browser),
  ]);
  assert.equal((await count(once)).crawling.needless, 0);
  // The same again is needless for each of them, but one is known by its name at all its addresses.
  assert.equal((await count([...once, ...once])).crawling.needless, 3 * networks.length);
  const named = networks.map((address) => lineOf(address, "/", "GPTBot/1.0"));
  assert.equal((await count(named)).crawling.needless, networks.length - 1);
});

test("one program on several servers is as many crawlers, each of its own operator", async () => {
  const { crawling, groups, crawlerCount } = await count(
    networks.map((address, at) =>
      lineOf(address, "/post", `http.rb/5.1 (Mastodon/4.2; +https://m${at % 2}.example/) Bot`),
    ),
  );
  assert.deepEqual(
    groups.map(({ operator, counts }) => [operator, counts.requests]),
    [
      ["m0.example", 5],
      ["m1.example", 4],
    ],
  );
  assert.deepEqual([crawling.needless, crawlerCount], [7, 1]);
});

test("one robots.txt makes no crawlers of all who have the same browser, where a log has other addresses, or none", async () => {
  const rest = '%t "%r" %>s %b "%{User-Agent}i"';
  const nginx = '[$time_local] "$request" $status $bytes_sent "$http_user_agent"';
  const lines = ["/robots.txt", ...networks.map((_, at) => `/${at}`)].flatMap((path, at) =>
    [browser, "OwnBot/1.0"].map(
      (agent) => `203.0.${at}.7, 10.0.0.1 [10/Oct/2026:13:55:36 +0000] "GET ${path} HTTP/1.1" 200 5 "${agent}"\n`,
    ),
  );
  const crawling = async (format: string) =>
    (await count(lines, format)).crawlers.map(({ name, counts }) => `${name} ${counts.requests}`).sort();
  const each = ["(like a browser) 1", "OwnBot 1"];
  for (const format of [`%{X-Forwarded-For}i ${rest}`, `$http_x_forwarded_for ${nginx}`])
    assert.deepEqual(await crawling(format), each, format);
  assert.deepEqual(await crawling(`%{HOP}e ${rest}`), ["OwnBot 10"]);
});
