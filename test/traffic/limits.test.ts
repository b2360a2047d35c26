import assert from "node:assert/strict";
import { test } from "node:test";
import { LogReader, readLogFormat } from "../../src/formats/access-log/index.ts";
import { TrafficCounter } from "../../src/traffic/traffic-counter.ts";

const days = 1000;
const stamps = Array.from({ length: days }, (_, day) => new Date(Date.UTC(2020, 0, 1 + day)).toISOString());

/** Counts a log in which clients, each an address and an agent, come every day. */
function countDaily(
  options: ConstructorParameters<typeof TrafficCounter>[0],
  clients: ReadonlyArray<readonly [string, string]>,
) {
  const counter = new TrafficCounter(options);
  const formats = readLogFormat("json-lines");
  assert.ok(formats.ok);
  const reader = new LogReader(formats.value, {
    onLine: (line) => counter.add(line),
    onBadLine: () => assert.fail("a line is of no format"),
  });
  for (const time of stamps)
    for (const [remote_addr, agent] of clients)
      reader.push(
        Buffer.from(
          `${JSON.stringify({ remote_addr, time, request: "GET /robots.txt HTTP/1.1", status: 200, agent })}\n`,
        ),
      );
  return counter;
}

test("days of clients that wait for an answer of DNS are bounded; others count as not checked", () => {
  const clients = Array.from({ length: 110 }, (_, at) => [`1.1.1.${at}`, "GPTBot/1.0"] as const);
  const counter = countDaily({ seed: 1, isResolved: () => true }, clients);
  const waiting = counter.close();
  assert.equal(waiting.length, 100);
  for (const claimed of waiting) counter.settle(claimed, true);
  assert.deepEqual(
    counter.crawlers.map(({ crawler, clients: count, account }) => [crawler.verified, count, account.tally.requests]),
    [
      [undefined, 10, 10 * days],
      [true, 100, 100 * days],
    ],
  );
});

test("days of crawlers are bounded together; requests on more days count in another, and are told", () => {
  const clients = Array.from({ length: 101 }, (_, at) => ["1.1.1.1", `Own${at}/1.0`] as const);
  const counter = countDaily({ seed: 1 }, clients);
  counter.close();
  // Each has one day beside the 100,000.
  assert.equal(counter.misplacedRequests, 101 * days - 101 - 100_000);
  assert.equal(
    counter.crawlers.reduce((sum, { account }) => sum + account.tally.requests, 0),
    101 * days,
  );
});
