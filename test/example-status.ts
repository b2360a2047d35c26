import { hostname } from "node:os";
import type { FollowStatus } from "../src/crawler/follow/follow-status.ts";
import type { WebStatus } from "../src/crawler/index.ts";

/** How a follower may stand. */
export function exampleStatus(changed: Partial<FollowStatus> = {}): FollowStatus {
  const now = 1_800_000_000_000;
  return {
    version: 1,
    pid: process.pid,
    host: hostname(),
    startedMs: now - 7_200_000,
    writtenMs: now,
    connections: 16,
    sites: 2007,
    sitesByAge: { hour: 900, day: 1000, older: 100, never: 7 },
    waiting: 1990,
    due: 12,
    underWay: 3,
    paused: 14,
    backOff: 9,
    visits: 4321,
    failedVisits: 17,
    requests: 98_765,
    bytes: 123_456_789,
    created: 1234,
    updated: 5678,
    deleted: 90,
    pollingRequests: 1_000_000,
    savedRequests: 901_235,
    requestsPerSecond: 13.5,
    bytesPerSecond: 17_000,
    visiting: [
      { site: "https://a.example", sinceMs: now - 5000, requests: 3, bytes: 2048, changes: 1 },
      {
        site: `https://${"long-".repeat(20)}.example`,
        sinceMs: now - 900_000,
        requests: 30_000,
        bytes: 2_048_000_000,
        changes: 1000,
        waitsUntilMs: now + 30_000,
        why: "retry-after",
      },
    ],
    troubled: [
      {
        site: "https://b.example",
        failures: 7,
        nextMs: now + 600_000,
        message: `connect ${"refused ".repeat(20)}`.trim(),
      },
    ],
    next: [
      { site: "https://c.example", nextMs: now - 1000, priority: 9 },
      { site: "https://d.example", nextMs: now + 7_200_000, priority: 5 },
    ],
    pausedSites: [{ site: "https://e.example", nextMs: now, priority: 5 }],
    ...changed,
  };
}

/** How a crawl of the Web may stand. */
export function exampleWebStatus(): WebStatus {
  return {
    ...{ version: 1, pid: 7, host: "box", startedMs: 0, writtenMs: 60_000, open: 3, elapsedMs: 60_000 },
    ...{ requestsPerSecond: 12, bytesPerSecond: 2048, sites: 40, unresolvedSites: 2, unreachableSites: 1, urls: 900 },
    ...{ waiting: 300, done: 600, heldBack: { "out-of-scope": 5, "domain-sites": 8, trap: 4 }, knownSites: 30 },
    ...{ visits: 60, newRequests: 590, knownRequests: 66, changed: 9, pages: 580, failed: 10, requests: 700 },
    ...{ bytes: 1_000_000, links: 5000 },
  };
}
