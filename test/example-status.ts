import { hostname } from "node:os";
import type { FollowStatus } from "../src/crawler/follow/follow-status.ts";

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
