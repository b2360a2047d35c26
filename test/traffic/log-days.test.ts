import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTrafficPage } from "../../src/report/index.ts";
import { readTraffic } from "../../src/traffic/read-traffic.ts";

const lineOf = (address: string, path: string, day: string, agent = "GPTBot/1.0") =>
  `${address} - - [${day}/Oct/2026:13:55:36 +0000] "GET ${path} HTTP/1.1" 200 5000 "-" "${agent}"\n`;

async function count(lines: readonly string[], options: { readonly format?: string } = {}) {
  const input = async function* () {
    yield Buffer.from(lines.join(""));
  };
  return await readTraffic({ logs: ["-"], input, ...options });
}

test("a log without times has no days", async () => {
  const lines = ["1.1.1.1", "2.2.2.2"].map((address) => `${address} "GET / HTTP/1.1" 200 5 "GPTBot/1.0"\n`);
  const summary = await count(lines, { format: '%h "%r" %>s %b "%{User-Agent}i"' });
  assert.deepEqual([summary.days, summary.crawlers[0]?.days, summary.crawling.requests], [[], [], 2]);
  assert.doesNotMatch(await formatTrafficPage({ summary }, "t", "9.9.9"), /1970/);
});

test("a request that never came is of no page", async () => {
  const { kinds } = await count(
    ['"-" 408 -', '"\\x16\\x03\\x01" 400 226'].map(
      (rest) => `1.1.1.1 - - [10/Oct/2026:13:55:36 +0000] ${rest} "-" "-"\n`,
    ),
  );
  assert.deepEqual(kinds, [{ kind: "other", requests: 2, bytes: 226 }]);
});

test("days on which a reader of archives does not come count to the end of the log", async () => {
  const { crawlers } = await count([
    ...["01", "02"].map((day) => lineOf("1.1.1.1", `/${day}`, day)),
    lineOf("1.1.1.1", "/.well-known/tidemark/index.gz", "03"),
    lineOf("2.2.2.2", "/", "12", "Mozilla/5.0"),
  ]);
  const { requestsPerDayBefore, requestsPerDaySince, bytesPerDaySince } = crawlers[0]?.archiveUse ?? {};
  assert.deepEqual([requestsPerDayBefore, requestsPerDaySince, bytesPerDaySince], [1, 0.1, 500]);
});
