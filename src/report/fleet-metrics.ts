import type { FleetStatus, WorkerStatus } from "../fleet/index.ts";
import {
  counter,
  familiesOf,
  formatLabels,
  formatMetrics,
  gauge,
  type Metric,
  type MetricFamily,
  type MetricsFormat,
  type Sample,
  samplesBy,
} from "./open-metrics.ts";

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

function fleetFamilies(status: FleetStatus): MetricFamily[] {
  const { due, waiting, held, ended } = status;
  const help = "Sites by state: due, waiting until they are due, held by a worker, ended (never to be visited again).";
  return [
    ...familiesOf(ofFleet, status),
    [{ name: "sites", type: "gauge", help }, samplesBy("state", { due, waiting, held, ended })],
  ];
}

function workerFamilies(workers: readonly WorkerStatus[]): MetricFamily[] {
  const sampleOf = (labels: Readonly<Record<string, string>>, value: number | undefined): Sample[] =>
    value === undefined ? [] : [[formatLabels(labels), value]];
  return [
    ...ofWorker.map(
      (metric): MetricFamily => [
        metric,
        workers.flatMap((worker) => sampleOf({ worker: worker.name }, metric.read(worker))),
      ],
    ),
    [
      { name: "pages", type: "counter", help: "Pages that changed since the worker's start." },
      workers.flatMap(({ name, counts }) =>
        outcomes.flatMap((outcome) => sampleOf({ worker: name, outcome }, counts[outcome])),
      ),
    ],
  ];
}

/** The metrics of a fleet, and of each of its workers by the label `worker`. None has the name of a site. */
export function formatFleetMetrics(status: FleetStatus, format?: MetricsFormat): string {
  const groups = { tidemark_fleet: fleetFamilies(status), tidemark_fleet_worker: workerFamilies(status.workers) };
  return formatMetrics(groups, format);
}
