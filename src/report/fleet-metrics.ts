import type { FleetStatus, WorkerStatus } from "../fleet/index.ts";
import { counter, formatLabels, formatMetric, gauge, type Metric, type MetricsFormat } from "./open-metrics.ts";

const ofFleet: ReadonlyArray<Metric<FleetStatus>> = [
  gauge("paused", "Whether the fleet is paused: nobody leases sites.", ({ isPaused }) => Number(isPaused)),
  gauge("workers", "Workers that the fleet's database knows.", ({ workers }) => workers.length),
  gauge("pages", "Pages that are held; an estimate where there are very many.", ({ pages }) => pages),
  gauge(
    "waiting_urls",
    "URLs that links led to and that wait for a visit of their site; an estimate where there are very many.",
    ({ handedUrls }) => handedUrls,
  ),
];

const counted = (name: string, help: string, key: string): Metric<WorkerStatus> =>
  counter(name, help, ({ counts }) => counts[key]);

const ofWorker: ReadonlyArray<Metric<WorkerStatus>> = [
  gauge("start_timestamp_seconds", "When the worker joined the fleet.", ({ startedMs }) => startedMs / 1000),
  gauge("seen_timestamp_seconds", "When the worker last reported.", ({ seenMs }) => seenMs / 1000),
  gauge("draining", "Whether the worker is to lease nothing more.", ({ isDraining }) => Number(isDraining)),
  gauge("held_sites", "Sites that the worker holds.", ({ held }) => held),
  counter("lost_leases", "Leases that ended before the worker gave the site back.", ({ lostLeases }) => lostLeases),
  counted("visits", "Completed visits since the start, as all below.", "visits"),
  counted("failed_visits", "Failed visits.", "failedVisits"),
  counted("requests", "Requests.", "requests"),
  counted("page_requests", "Requests of pages.", "pageRequests"),
  counted("handed_urls", "URLs of other sites that the worker's visits found.", "handed"),
  counted("links", "Links that were kept.", "links"),
  counter("received_bytes", "Bytes of bodies as received.", ({ counts: { metadataBytes, pageBytes } }) =>
    metadataBytes === undefined && pageBytes === undefined ? undefined : (metadataBytes ?? 0) + (pageBytes ?? 0),
  ),
];

const outcomes = ["created", "updated", "deleted"] as const;

/** The metrics of a fleet, and of each of its workers by the label `worker`. None has the name of a site. */
export function formatFleetMetrics(status: FleetStatus, metricsFormat: MetricsFormat = "openmetrics"): string {
  const format = (
    part: "fleet" | "fleet_worker",
    metric: Omit<Metric<never>, "read">,
    samples: Parameters<typeof formatMetric>[1],
  ): string => formatMetric({ ...metric, name: `tidemark_${part}_${metric.name}` }, samples, metricsFormat);
  const { due, waiting, held, ended, workers } = status;
  const sites = Object.entries({ due, waiting, held, ended });
  const blocks = [
    ...ofFleet.map((metric) => format("fleet", metric, [["", metric.read(status) ?? 0]])),
    format(
      "fleet",
      {
        name: "sites",
        type: "gauge",
        help: "Sites by state: due, waiting until they are due, held by a worker, ended (never to be visited again).",
      },
      sites.map(([state, count]) => [formatLabels({ state }), count] as const),
    ),
    ...ofWorker.map((metric) =>
      format(
        "fleet_worker",
        metric,
        workers.flatMap((worker) => {
          const value = metric.read(worker);
          return value === undefined ? [] : [[formatLabels({ worker: worker.name }), value] as const];
        }),
      ),
    ),
    format(
      "fleet_worker",
      { name: "pages", type: "counter", help: "Pages that changed since the worker's start." },
      workers.flatMap(({ name, counts }) =>
        outcomes.flatMap((outcome) => {
          const value = counts[outcome];
          return value === undefined ? [] : [[formatLabels({ worker: name, outcome }), value] as const];
        }),
      ),
    ),
  ];
  return `${blocks.join("")}${metricsFormat === "openmetrics" ? "# EOF\n" : ""}`;
}
