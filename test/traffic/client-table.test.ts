import assert from "node:assert/strict";
import { test } from "node:test";
import { Account, DayBudget } from "../../src/traffic/account.ts";
import { type Client, ClientTable } from "../../src/traffic/client-table.ts";
import { Crawler } from "../../src/traffic/crawler.ts";
import { LogRequest } from "../../src/traffic/log-request.ts";
import { createTally } from "../../src/traffic/tally.ts";

const crawler = new Crawler(
  { name: "Own", operator: undefined, purpose: "unknown" },
  ...(["list", undefined, 1] as const),
  new DayBudget(0),
);

/** A table of clients of one crawler, to which a client comes on a day; and those that left it. */
function tableOf(most: number, mostDays: number) {
  const left: Client[] = [];
  const table = new ClientTable(most, mostDays, (client) => left.push(client));
  const request = new LogRequest(1);
  const come = (key: number, day: number) => {
    const isKnown = table.find(key);
    const client = isKnown ?? table.open(key);
    if (isKnown === undefined) table.assign(client, crawler, String(key));
    Object.assign(request, { day, bytes: 10 });
    table.count(client, request, true, false);
  };
  const requestsOf = (clients: Iterable<Client>) =>
    [...clients].reduce((sum, { account }) => sum + account.tally.requests, 0);
  return { table, left, come, requestsOf };
}

test("clients and their days are bounded, whatever comes, and nothing that they did is lost", () => {
  const { table, left, come, requestsOf } = tableOf(100, 1500);
  let most = { clients: 0, days: 0 };
  for (let at = 0; at < 60_000; at++) {
    // Some come again and again, most once; days pass.
    come(at % 3 === 0 ? 1 + (at % 30) : 1000 + at, Math.floor(at / 200));
    if (at % 997 !== 0) continue;
    const now = [...table.ofCrawlers()];
    const days = now.reduce((sum, { account }) => sum + account.days.length, 0);
    most = { clients: Math.max(most.clients, now.length), days: Math.max(most.days, days) };
    assert.equal(requestsOf(now) + requestsOf(left), at + 1);
    assert.equal(table.forgotten, left.length);
  }
  assert.ok(most.clients <= 100 && most.days <= 1500, JSON.stringify(most));
  assert.ok(most.clients > 20 && most.days > 1400, JSON.stringify(most));
  table.clear();
  assert.deepEqual([table.size, requestsOf(left), requestsOf(table.ofCrawlers())], [0, 60_000, 0]);
  const bytes = left.reduce((sum, { account }) => sum + account.tally.wastedBytes, 0);
  assert.equal(bytes, 600_000);
});

test("who comes often is not forgotten for those who come once", () => {
  const { left, come } = tableOf(10, 1500);
  for (let at = 0; at < 1000; at++) come(at % 2 === 0 ? 7 : 100 + at, 1);
  assert.ok(left.length > 400);
  assert.equal(
    left.some(({ address }) => address === "7"),
    false,
  );
});

test("a client tells 1000 days apart; more count in its latest", () => {
  const { table, left, come } = tableOf(10, 1001);
  for (let day = 0; day < 1200; day++) come(7, day);
  come(8, 0);
  come(7, 0);
  table.clear();
  const { account } = left.find(({ address }) => address === "7") as Client;
  assert.deepEqual([account.days.length, account.tally.requests], [1000, 1201]);
  assert.deepEqual(
    account.days.filter(({ requests }) => requests > 1).map(({ day, requests }) => [day, requests]),
    [
      [999, 201],
      [0, 2],
    ],
  );
});

test("a client that needs room for one more day is not the one that is forgotten for it", () => {
  const { table, left, come } = tableOf(10, 1001);
  for (let day = 0; day < 999; day++) come(7, day);
  for (const day of [0, 1]) come(8, day);
  come(7, 999);
  assert.deepEqual(
    left.map(({ address }) => address),
    ["8"],
  );
  assert.deepEqual(
    [...table.ofCrawlers()].map(({ address, account }) => [address, account.days.length]),
    [["7", 1000]],
  );
});

test("accounts share a budget of days; what comes when it is spent counts in the last one, and is told", () => {
  const budget = new DayBudget(3);
  const accounts = [new Account(budget), new Account(budget)];
  for (let day = 0; day < 4; day++) for (const account of accounts) account.add(day, { ...createTally(), requests: 5 });
  assert.deepEqual(
    accounts.map(({ days, tally }) => [days.map(({ requests }) => requests), tally.requests]),
    [
      [[5, 5, 10], 20],
      [[5, 15], 20],
    ],
  );
  assert.equal(budget.misplaced, 15);
});
