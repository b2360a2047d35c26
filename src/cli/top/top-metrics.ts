import type { FollowLook, FollowStatus } from "../../crawler/index.ts";
import { formatCounterHeader, formatGaugeHeader, formatLabel } from "../status/status-metrics.ts";

interface Family {
  readonly name: string;
  /** Whether it never falls while a follower runs; else a gauge. */
  readonly isCounter?: true;
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
    help: "When the follower last wrote its status.",
    read: ({ writtenMs }) => writtenMs / 1000,
  },
  { name: "tidemark_follower_sites", help: "Sites that are followed.", read: ({ sites }) => sites },
  {
    name: "tidemark_follower_due_sites",
    help: "Sites that wait and whose time has come.",
    read: ({ due }) => due,
  },
  {
    name: "tidemark_follower_back_off_sites",
    help: "Sites that are tried again later or left alone for now, waiting or under way.",
    read: ({ backOff }) => backOff,
  },
  {
    name: "tidemark_follower_visits",
    isCounter: true,
    help: "Visits that have ended.",
    read: ({ visits }) => visits,
  },
  {
    name: "tidemark_follower_failed_visits",
    isCounter: true,
    help: "Failed visits.",
    read: ({ failedVisits }) => failedVisits,
  },
  {
    name: "tidemark_follower_requests",
    isCounter: true,
    help: "Requests since the start.",
    read: ({ requests }) => requests,
  },
  {
    name: "tidemark_follower_received_bytes",
    isCounter: true,
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
    isCounter: true,
    help: "Requests that polling each known page would have taken in the visits that have ended.",
    read: ({ pollingRequests }) => pollingRequests,
  },
  {
    name: "tidemark_follower_saved_requests",
    help: "Those less the requests that these visits took.",
    read: ({ savedRequests }) => savedRequests,
  },
];

/** Each site is in one of them. */
const states = [
  ["waiting", ({ waiting }: FollowStatus) => waiting],
  ["under_way", ({ underWay }: FollowStatus) => underWay],
  ["paused", ({ paused }: FollowStatus) => paused],
] as const;

/**
 * How a follower stands as OpenMetrics 1.0 text; of none, that it is not up. Those who read Prometheus text format 0.0.4 get
 * the same samples, but do not know which are counters.
 */
export function formatTopMetrics(look: FollowLook | undefined): string {
  const up = `${formatGaugeHeader("tidemark_follower_up", undefined, "Whether sites are followed.")}tidemark_follower_up ${Number(look !== undefined)}\n`;
  if (look === undefined) return `${up}# EOF\n`;
  const { status } = look;
  const blocks = families.map(({ name, isCounter, unit, help, read }) =>
    isCounter === true
      ? `${formatCounterHeader(name, unit, help)}${name}_total ${read(status)}\n`
      : `${formatGaugeHeader(name, unit, help)}${name} ${read(status)}\n`,
  );
  const samples = (name: string, label: string, values: readonly (readonly [string, number])[]): string =>
    values.map(([value, count]) => `${name}{${formatLabel(label, value)}} ${count}\n`).join("");
  const { created, updated, deleted } = status;
  const byState = states.map(([state, read]) => [state, read(status)] as const);
  const byOutcome = Object.entries({ created, updated, deleted });
  return [
    up,
    ...blocks,
    formatGaugeHeader("tidemark_follower_sites_by_state", undefined, "Sites by what they do, each once."),
    samples("tidemark_follower_sites_by_state", "state", byState),
    formatCounterHeader("tidemark_follower_pages", undefined, "Pages that changed since the start."),
    samples("tidemark_follower_pages_total", "outcome", byOutcome),
    "# EOF\n",
  ].join("");
}
