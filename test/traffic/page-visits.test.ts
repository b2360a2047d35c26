import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatTraffic } from "../../src/cli/traffic/traffic-run.ts";
import { exportSite } from "../../src/exporter/index.ts";
import { PageVisits } from "../../src/traffic/page-visits.ts";
import { readTraffic } from "../../src/traffic/read-traffic.ts";
import type { KnownChange, KnownPage, SiteHistory } from "../../src/traffic/site-history.ts";
import { makeTempFolder } from "../temp-folder.ts";

const daySeconds = 86_400;

/** A history in which reading the archives takes a request a day. */
const history = { size: 1, costBetween: () => ({ requests: 1, bytes: 10 }) } as unknown as SiteHistory;
const pageOf = (...changes: KnownChange[]): KnownPage => ({
  ...{ path: "/a", index: 0, changes, isDeleted: false, sizeBytes: 1 },
});

test("a change that may be hidden behind a later one of its interval is not taken for none", () => {
  for (const [from, needless, undecided] of [
    // The interval of the change began before the first request, between the two, and after the second.
    [5, 0, 1],
    [20, 0, 1],
    [30, 1, 0],
  ] as const) {
    const visits = new PageVisits(history);
    for (const time of [10, 30]) visits.add(pageOf({ at: 40, from }), time, 1);
    assert.deepEqual([visits.needless, visits.undecided], [needless, undecided], String(from));
  }
});

test("a day's archives are read once, also if requests are out of order at midnight", () => {
  const visits = new PageVisits(history);
  for (const time of [-2, 1, -1, 2, -1, 3]) visits.add(undefined, daySeconds + time, 1);
  // Two days, and six requests.
  assert.deepEqual([visits.requests, visits.neededRequests, visits.neededBytes], [6, 8, 26]);
});

test("the archives that a crawler reads stand for what reading them costs", () => {
  const visits = new PageVisits(history);
  visits.addArchive(daySeconds, 100);
  visits.add(pageOf(), daySeconds + 1, 1000);
  visits.add(pageOf(), daySeconds + 2, 1000);
  assert.deepEqual([visits.requests, visits.bytes, visits.neededRequests, visits.neededBytes], [3, 2100, 2, 1100]);
});

test("archives save nothing of what they would not have changed", async () => {
  using temp = makeTempFolder();
  const docroot = join(temp.path, "site");
  mkdirSync(docroot);
  const first = Date.UTC(2026, 8, 1);
  const pages = Array.from({ length: 20 }, (_, at) => `/p${at}.html`);
  for (const page of pages) {
    writeFileSync(join(docroot, page), page);
    utimesSync(join(docroot, page), first / 1000, first / 1000);
  }
  await exportSite({
    ...{ docroot, baseUrl: "https://a.example/", stateDir: join(temp.path, "state"), clock: () => first + 86_400_000 },
  });
  const count = async (lines: readonly (readonly [method: string, path: string])[], agent: string) => {
    const text = lines.map(
      ([method, path], at) =>
        `1.1.1.1 - - [02/Oct/2026:12:00:${at + 10} +0000] "${method} ${path} HTTP/1.1" 200 1000 "-" "${agent}"\n`,
    );
    const input = async function* () {
      yield Buffer.from(text.join(""));
    };
    const summary = await readTraffic({ logs: ["-"], input, archives: docroot });
    return [summary.history?.savedRequests, summary.history?.savedBytes, formatTraffic(summary)] as const;
  };
  // Each page once, and then robots.txt, by which it is known for a crawler.
  const unlisted = await count(
    [...pages, "/robots.txt"].map((path) => ["GET", path]),
    "OwnBot/1.0",
  );
  assert.deepEqual(unlisted.slice(0, 2), [0, 0]);
  const polled = Array.from({ length: 10 }, () => ["GET", "/robots.txt"] as const);
  const other = await count([...polled, ["POST", "/form"], ["HEAD", "/p1.html"]], "GPTBot/1.0");
  assert.deepEqual(other.slice(0, 2), [0, 0]);
  const [requests, bytes, text] = await count([["GET", "/p1.html"]], "GPTBot/1.0");
  assert.ok((requests ?? 0) < 0 && (bytes ?? 0) < 0);
  assert.match(text, /; archives would cost 3 requests and [\d.,]+ \w+ more$/m);
});
