import type { SiteStatus } from "../../exporter/index.ts";
import { formatLabels, formatMetric, gauge, type Metric } from "../../report/index.ts";

const severities = { fine: 0, warning: 1, critical: 2 } as const;

const metrics: ReadonlyArray<Metric<SiteStatus>> = [
  gauge(
    "tidemark_status",
    "Status of the exporter: 0 fine, 1 warning, 2 critical.",
    ({ status }) => severities[status],
  ),
  gauge("tidemark_pages", "Live pages in the last publication.", ({ ledger }) => ledger?.pages),
  gauge("tidemark_publication_timestamp_seconds", "Time of the last publication.", ({ ledger }) => ledger?.publication),
  gauge(
    "tidemark_base_timestamp_seconds",
    "Time at which the base (the list of the whole site) was last published.",
    ({ ledger }) => ledger?.base,
  ),
  gauge("tidemark_changes_since_base", "Changes published after the base.", ({ ledger }) => ledger?.changesSinceBase),
  gauge(
    "tidemark_changes_today",
    "Changes published since midnight in UTC.",
    ({ ledger }) => ledger?.days.at(-1)?.changes,
  ),
  gauge("tidemark_archives", "Archives that are listed.", ({ ledger }) => ledger?.archives),
  gauge("tidemark_archives_bytes", "Size of all that is listed.", ({ published }) => published?.listedBytes),
  gauge(
    "tidemark_archives_missing",
    "Archives that are listed but not in the document root.",
    ({ published }) => published?.missingCount,
  ),
  gauge(
    "tidemark_last_run_timestamp_seconds",
    "Time at which the last run ended, successful or not.",
    ({ lastRun }) => lastRun && lastRun.endedMs / 1000,
  ),
  gauge(
    "tidemark_last_success_timestamp_seconds",
    "Time at which the last successful run ended.",
    ({ lastRun }) => lastRun?.succeededMs && lastRun.succeededMs / 1000,
  ),
  gauge(
    "tidemark_last_run_success",
    "Whether the last run was successful.",
    ({ lastRun }) => lastRun && Number(lastRun.outcome !== "failed"),
  ),
  gauge(
    "tidemark_last_run_duration_seconds",
    "How long the last run took.",
    ({ lastRun }) => lastRun && Math.max(0, lastRun.endedMs - lastRun.startedMs) / 1000,
  ),
  gauge("tidemark_last_run_errors", "Files that failed in the last run.", ({ lastRun }) => lastRun?.errors),
  gauge("tidemark_last_run_withheld", "Files that the last run held back.", ({ lastRun }) => lastRun?.withheld),
];

/** Exporters' state as OpenMetrics text: gauges with the label `site`, and the problems of each, by code. */
export function formatOpenMetrics(statuses: readonly SiteStatus[]): string {
  const siteOf = ({ site, stateDir }: SiteStatus): string => site ?? stateDir;
  const blocks = metrics.map((metric) =>
    formatMetric(
      metric,
      statuses.flatMap((status) => {
        const value = metric.read(status);
        return value === undefined ? [] : [[formatLabels({ site: siteOf(status) }), value] as const];
      }),
    ),
  );
  const problems = statuses.flatMap((status) =>
    status.problems.map(({ code, severity }) => [formatLabels({ site: siteOf(status), code, severity }), 1] as const),
  );
  const problem = { name: "tidemark_problem", type: "gauge", help: "Problems, one sample each." } as const;
  return `${blocks.join("")}${formatMetric(problem, problems)}# EOF\n`;
}
