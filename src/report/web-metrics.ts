import type { WebStatus } from "../crawler/index.ts";
import { followerFamilies, followerPrefix } from "./follower-metrics.ts";
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

const metrics: ReadonlyArray<Metric<WebStatus>> = [
  gauge("start_timestamp_seconds", "When the crawl was last started.", ({ startedMs }) => startedMs / 1000),
  gauge("told_timestamp_seconds", "When the crawl last wrote its status.", ({ writtenMs }) => writtenMs / 1000),
  gauge("sites", "Sites that are known.", ({ sites }) => sites),
  gauge("open_sites", "Sites that are being requested.", ({ open }) => open),
  gauge("unresolved_sites", "Sites without an address.", ({ unresolvedSites }) => unresolvedSites),
  gauge("unreachable_sites", "Sites that were given up after failures.", ({ unreachableSites }) => unreachableSites),
  gauge("revisited_sites", "Sites that are visited again.", ({ knownSites }) => knownSites),
  gauge("urls", "URLs that are known.", ({ urls }) => urls),
  gauge("waiting_urls", "URLs that wait for their first request.", ({ waiting }) => waiting),
  gauge("done_urls", "URLs that were requested, or need not be.", ({ done }) => done),
  counter("pages", "Pages that were received.", ({ pages }) => pages),
  counter("failed_pages", "Pages that failed.", ({ failed }) => failed),
  counter("requests", "Requests.", ({ requests }) => requests),
  counter("received_bytes", "Bytes of bodies as received.", ({ bytes }) => bytes),
  counter("links", "Links of pages that were read.", ({ links }) => links),
  counter("visits", "Visits to known sites.", ({ visits }) => visits),
  counter("changed_pages", "Known pages that had changed.", ({ changed }) => changed),
  gauge(
    "requests_per_second",
    "Requests per second over the last minute.",
    ({ requestsPerSecond }) => requestsPerSecond,
  ),
  gauge("bytes_per_second", "Bytes per second over the last minute.", ({ bytesPerSecond }) => bytesPerSecond),
];

const webPrefix = "tidemark_web";

function webFamilies(status: WebStatus | undefined): MetricFamily[] {
  const up: MetricFamily = [
    { name: "up", type: "gauge", help: "Whether a crawl of the Web runs." },
    [["", Number(status !== undefined)]],
  ];
  if (status === undefined) return [up];
  const { newRequests, knownRequests, newShare, heldBack } = status;
  return [
    up,
    ...familiesOf(metrics, status),
    [
      { name: "page_requests", type: "counter", help: "Requests of new pages, and of known ones by visits." },
      samplesBy("kind", { new: newRequests, known: knownRequests }),
    ],
    [
      { name: "new_share", type: "gauge", help: "Share of new pages in the requests of pages, as planned now." },
      newShare === undefined ? [] : [["", newShare]],
    ],
    [
      { name: "held_back", type: "counter", help: "Links and sites that a bound held back." },
      samplesBy("reason", heldBack),
    ],
  ];
}

/** The metrics of a crawl of the Web; of none, that it is not up. None has the name of a site. */
export function formatWebMetrics(status: WebStatus | undefined, format?: MetricsFormat): string {
  return formatMetrics({ [webPrefix]: webFamilies(status) }, format);
}

/** Says that neither a follower nor a crawl of the Web is up. */
export function formatNoCrawl(): string {
  return formatMetrics({ [followerPrefix]: followerFamilies(undefined), [webPrefix]: webFamilies(undefined) });
}
