import type { FollowLook, FollowStatus } from "../../crawler/index.ts";
import { counter, formatLabels, formatMetric, gauge, type Metric } from "../terminal/open-metrics.ts";

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

/**
 * How a follower stands as OpenMetrics 1.0 text; of none, that it is not up. Those who read Prometheus text format 0.0.4 get
 * the same samples, but do not know which are counters.
 */
export function formatTopMetrics(look: FollowLook | undefined): string {
  const format = (metric: Omit<Metric<never>, "read">, samples: Parameters<typeof formatMetric>[1]): string =>
    formatMetric({ ...metric, name: `tidemark_follower_${metric.name}` }, samples);
  const blocks = [
    format({ name: "up", type: "gauge", help: "Whether a follower runs." }, [["", Number(look !== undefined)]]),
  ];
  if (look !== undefined) {
    const { status } = look;
    const { waiting, underWay, paused, created, updated, deleted } = status;
    const samples = (label: string, values: Readonly<Record<string, number>>) =>
      Object.entries(values).map(([value, count]) => [formatLabels({ [label]: value }), count] as const);
    blocks.push(
      ...metrics.map((metric) => format(metric, [["", metric.read(status) ?? 0]])),
      format(
        { name: "sites_by_state", type: "gauge", help: "Sites by state; each is counted once." },
        samples("state", { waiting, under_way: underWay, paused }),
      ),
      format(
        { name: "pages", type: "counter", help: "Pages that changed since the start." },
        samples("outcome", { created, updated, deleted }),
      ),
    );
  }
  return `${blocks.join("")}# EOF\n`;
}
