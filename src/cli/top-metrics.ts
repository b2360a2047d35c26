import type { FollowLook } from "../follow-files.ts";
import type { FollowStatus } from "../follow-status.ts";
import { formatGaugeHeader, formatLabel } from "./status-metrics.ts";

interface Family {
  readonly name: string;
  readonly unit?: "seconds" | "bytes";
  readonly help: string;
  readonly read: (status: FollowStatus) => number;
}

const families: readonly Family[] = [
  {
    name: "tidemark_follower_start_timestamp_seconds",
    unit: "seconds",
    help: "When the follower was started.",
    read: ({ startedMs }) => startedMs / 1000,
  },
  {
    name: "tidemark_follower_told_timestamp_seconds",
    unit: "seconds",
    help: "When the follower told last how it stands.",
    read: ({ writtenMs }) => writtenMs / 1000,
  },
  { name: "tidemark_follower_sites", help: "Sites that are followed.", read: ({ sites }) => sites },
  { name: "tidemark_follower_visits", help: "Visits that have ended.", read: ({ visits }) => visits },
  { name: "tidemark_follower_failed_visits", help: "Visits in vain.", read: ({ failedVisits }) => failedVisits },
  { name: "tidemark_follower_requests", help: "Requests since the start.", read: ({ requests }) => requests },
  {
    name: "tidemark_follower_received_bytes",
    unit: "bytes",
    help: "Bytes of bodies as received since the start.",
    read: ({ bytes }) => bytes,
  },
  {
    name: "tidemark_follower_requests_per_second",
    help: "Requests a second over the last minute.",
    read: ({ requestsPerSecond }) => requestsPerSecond,
  },
  {
    name: "tidemark_follower_bytes_per_second",
    help: "Bytes a second over the last minute.",
    read: ({ bytesPerSecond }) => bytesPerSecond,
  },
  {
    name: "tidemark_follower_polling_requests",
    help: "Requests that polling each known page would have taken in the visits that have ended.",
    read: ({ pollingRequests }) => pollingRequests,
  },
  {
    name: "tidemark_follower_saved_requests",
    help: "Those less the requests that these visits took.",
    read: ({ savedRequests }) => savedRequests,
  },
];

const states = [
  ["waiting", ({ waiting }: FollowStatus) => waiting],
  ["due", ({ due }: FollowStatus) => due],
  ["under_way", ({ underWay }: FollowStatus) => underWay],
  ["paused", ({ paused }: FollowStatus) => paused],
  ["back_off", ({ backOff }: FollowStatus) => backOff],
] as const;

/** How a follower stands as OpenMetrics 1.0 text, which is also Prometheus text format 0.0.4; of none, that it is not up. */
export function formatTopMetrics(look: FollowLook | undefined): string {
  const up = `${formatGaugeHeader("tidemark_follower_up", undefined, "Whether sites are followed.")}tidemark_follower_up ${Number(look !== undefined)}\n`;
  if (look === undefined) return `${up}# EOF\n`;
  const { status } = look;
  const blocks = families.map(
    ({ name, unit, help, read }) => `${formatGaugeHeader(name, unit, help)}${name} ${read(status)}\n`,
  );
  const labelled = (
    name: string,
    help: string,
    label: string,
    values: readonly (readonly [string, number])[],
  ): string =>
    formatGaugeHeader(name, undefined, help) +
    values.map(([value, count]) => `${name}{${formatLabel(label, value)}} ${count}\n`).join("");
  const { created, updated, deleted } = status;
  const byState = states.map(([state, read]) => [state, read(status)] as const);
  const byOutcome = Object.entries({ created, updated, deleted });
  return [
    up,
    ...blocks,
    labelled("tidemark_follower_sites_by_state", "Sites by what they do; due ones wait as well.", "state", byState),
    labelled("tidemark_follower_pages", "Pages that changed since the start.", "outcome", byOutcome),
    "# EOF\n",
  ].join("");
}
