import type { FollowStatus } from "../crawler/index.ts";
import {
  counter,
  familiesOf,
  formatMetrics,
  gauge,
  type Metric,
  type MetricFamily,
  type MetricsFormat,
  samplesBy,
} from "./open-metrics.ts";

const metrics: ReadonlyArray<Metric<FollowStatus>> = [
  gauge("start_timestamp_seconds", "When the follower was started.", ({ startedMs }) => startedMs / 1000),
  gauge("told_timestamp_seconds", "When the follower last wrote its status.", ({ writtenMs }) => writtenMs / 1000),
  gauge("sites", "Sites that are followed.", ({ sites }) => sites),
  gauge("due_sites", "Waiting sites that are due.", ({ due }) => due),
  gauge(
    "back_off_sites",
    "Sites in back-off, waiting or under way: the last visit failed, or the site asked for a pause or answers with errors.",
    ({ backOff }) => backOff,
  ),
  counter("visits", "Completed visits.", ({ visits }) => visits),
  counter("failed_visits", "Failed visits.", ({ failedVisits }) => failedVisits),
  counter("requests", "Requests since the start.", ({ requests }) => requests),
  counter("received_bytes", "Bytes of bodies as received since the start.", ({ bytes }) => bytes),
  gauge(
    "requests_per_second",
    "Requests per second over the last minute.",
    ({ requestsPerSecond }) => requestsPerSecond,
  ),
  gauge("bytes_per_second", "Bytes per second over the last minute.", ({ bytesPerSecond }) => bytesPerSecond),
  counter(
    "polling_requests",
    "Requests that polling each known page would have taken in the completed visits.",
    ({ pollingRequests }) => pollingRequests,
  ),
  gauge(
    "saved_requests",
    "Requests that polling would have taken, minus the requests of the completed visits.",
    ({ savedRequests }) => savedRequests,
  ),
];

/** The name of all metrics of a follower begins so. */
export const followerPrefix = "tidemark_follower";

export function followerFamilies(status: FollowStatus | undefined): MetricFamily[] {
  const up: MetricFamily = [
    { name: "up", type: "gauge", help: "Whether a follower runs." },
    [["", Number(status !== undefined)]],
  ];
  if (status === undefined) return [up];
  const { waiting, underWay, paused, created, updated, deleted, sitesByAge } = status;
  return [
    up,
    ...familiesOf(metrics, status),
    [
      { name: "sites_by_state", type: "gauge", help: "Sites by state; each is counted once." },
      samplesBy("state", { waiting, under_way: underWay, paused }),
    ],
    [
      {
        name: "sites_by_age",
        type: "gauge",
        help: "Sites by the time since their last successful visit: up to an hour, up to a day, longer, never.",
      },
      samplesBy("age", { ...sitesByAge }),
    ],
    [
      { name: "pages", type: "counter", help: "Pages that changed since the start." },
      samplesBy("outcome", { created, updated, deleted }),
    ],
  ];
}

/**
 * The metrics of a follower; of none, that it is not up. There are as many samples whatever the number of sites: none has
 * the name of a site.
 */
export function formatFollowerMetrics(status: FollowStatus | undefined, format?: MetricsFormat): string {
  return formatMetrics({ [followerPrefix]: followerFamilies(status) }, format);
}
