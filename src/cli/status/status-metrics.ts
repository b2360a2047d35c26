import type { SiteStatus } from "../../exporter/index.ts";
import { formatLabels, formatMetrics, gauge, type Metric, type MetricFamily, type Sample } from "../../report/index.ts";

const severities = { fine: 0, warning: 1, critical: 2 } as const;

const metrics: ReadonlyArray<Metric<SiteStatus>> = [
  gauge("status", "Status of the exporter: 0 fine, 1 warning, 2 critical.", ({ status }) => severities[status]),
  gauge("pages", "Live pages in the last publication.", ({ ledger }) => ledger?.pages),
  gauge("publication_timestamp_seconds", "Time of the last publication.", ({ ledger }) => ledger?.publication),
  gauge(
    "base_timestamp_seconds",
    "Time at which the base (the list of the whole site) was last published.",
    ({ ledger }) => ledger?.base,
  ),
  gauge("changes_since_base", "Changes published after the base.", ({ ledger }) => ledger?.changesSinceBase),
  gauge("changes_today", "Changes published since midnight in UTC.", ({ ledger }) => ledger?.days.at(-1)?.changes),
  gauge("archives", "Archives that are listed.", ({ ledger }) => ledger?.archives),
  gauge("archives_bytes", "Size of all that is listed.", ({ published }) => published?.listedBytes),
  gauge(
    "archives_missing",
    "Archives that are listed but not in the document root.",
    ({ published }) => published?.missingCount,
  ),
  gauge(
    "last_run_timestamp_seconds",
    "Time at which the last run ended, successful or not.",
    ({ lastRun }) => lastRun && lastRun.endedMs / 1000,
  ),
  gauge(
    "last_success_timestamp_seconds",
    "Time at which the last successful run ended.",
    ({ lastRun }) => lastRun?.succeededMs && lastRun.succeededMs / 1000,
  ),
  gauge(
    "last_run_success",
    "Whether the last run was successful.",
    ({ lastRun }) => lastRun && Number(lastRun.outcome !== "failed"),
  ),
  gauge(
    "last_run_duration_seconds",
    "How long the last run took.",
    ({ lastRun }) => lastRun && Math.max(0, lastRun.endedMs - lastRun.startedMs) / 1000,
  ),
  gauge("last_run_errors", "Files that failed in the last run.", ({ lastRun }) => lastRun?.errors),
  gauge("last_run_withheld", "Files that the last run held back.", ({ lastRun }) => lastRun?.withheld),
];

/** Exporters' state as OpenMetrics text: gauges with the label `site`, and the problems of each, by code. */
export function formatOpenMetrics(statuses: readonly SiteStatus[]): string {
  const siteOf = ({ site, stateDir }: SiteStatus): string => site ?? stateDir;
  const families = metrics.map(
    (metric): MetricFamily => [
      metric,
      statuses.flatMap((status): Sample[] => {
        const value = metric.read(status);
        return value === undefined ? [] : [[formatLabels({ site: siteOf(status) }), value]];
      }),
    ],
  );
  const problems = statuses.flatMap((status) =>
    status.problems.map(({ code, severity }): Sample => [formatLabels({ site: siteOf(status), code, severity }), 1]),
  );
  const problem = { name: "problem", type: "gauge", help: "Problems, one sample each." } as const;
  return formatMetrics({ tidemark: [...families, [problem, problems]] });
}
