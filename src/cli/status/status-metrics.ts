import type { SiteStatus } from "../../exporter/index.ts";

/** One value a site; none where it is not known. */
interface Family {
  readonly name: string;
  readonly unit?: "seconds" | "bytes";
  readonly help: string;
  readonly read: (status: SiteStatus) => number | undefined;
}

const severities = { fine: 0, warning: 1, critical: 2 } as const;

const families: readonly Family[] = [
  {
    name: "tidemark_status",
    help: "How the exporter is doing: 0 fine, 1 warning, 2 critical.",
    read: ({ status }) => severities[status],
  },
  {
    name: "tidemark_pages",
    help: "Live pages in the last publication.",
    read: ({ ledger }) => ledger?.pages,
  },
  {
    name: "tidemark_publication_timestamp_seconds",
    unit: "seconds",
    help: "When changes were published for the last time.",
    read: ({ ledger }) => ledger?.publication,
  },
  {
    name: "tidemark_base_timestamp_seconds",
    unit: "seconds",
    help: "When the base, the whole site, was published for the last time.",
    read: ({ ledger }) => ledger?.base,
  },
  {
    name: "tidemark_changes_since_base",
    help: "Changed lines published after the base.",
    read: ({ ledger }) => ledger?.changesSinceBase,
  },
  {
    name: "tidemark_changes_today",
    help: "Changes published since midnight in UTC.",
    read: ({ ledger }) => ledger?.days.at(-1)?.changes,
  },
  {
    name: "tidemark_archives",
    help: "Archives that are listed.",
    read: ({ ledger }) => ledger?.archives,
  },
  {
    name: "tidemark_archives_bytes",
    unit: "bytes",
    help: "Size of all that is listed.",
    read: ({ published }) => published?.listedBytes,
  },
  {
    name: "tidemark_archives_missing",
    help: "Archives that are listed and not in the document root.",
    read: ({ published }) => published?.missingCount,
  },
  {
    name: "tidemark_last_run_timestamp_seconds",
    unit: "seconds",
    help: "When the last run ended, however it did.",
    read: ({ lastRun }) => lastRun && lastRun.endedMs / 1000,
  },
  {
    name: "tidemark_last_success_timestamp_seconds",
    unit: "seconds",
    help: "When a run ended well for the last time.",
    read: ({ lastRun }) => lastRun?.succeededMs && lastRun.succeededMs / 1000,
  },
  {
    name: "tidemark_last_run_success",
    help: "Whether the last run ended well.",
    read: ({ lastRun }) => lastRun && Number(lastRun.outcome !== "failed"),
  },
  {
    name: "tidemark_last_run_duration_seconds",
    unit: "seconds",
    help: "How long the last run took.",
    read: ({ lastRun }) => lastRun && Math.max(0, lastRun.endedMs - lastRun.startedMs) / 1000,
  },
  {
    name: "tidemark_last_run_errors",
    help: "Files that failed in the last run.",
    read: ({ lastRun }) => lastRun?.errors,
  },
  {
    name: "tidemark_last_run_withheld",
    help: "Files that the last run held back.",
    read: ({ lastRun }) => lastRun?.withheld,
  },
];

/**
 * Exporters' state as OpenMetrics 1.0 text, which is also Prometheus text format 0.0.4: gauges with the label `site`,
 * and the problems of each, by code.
 */
export function formatOpenMetrics(statuses: readonly SiteStatus[]): string {
  const blocks = families.map(({ name, unit, help, read }) => {
    const samples = statuses.flatMap((status) => {
      const value = read(status);
      return value === undefined ? [] : [`${name}{${labelOf(status)}} ${value}\n`];
    });
    return samples.length === 0 ? "" : `${formatGaugeHeader(name, unit, help)}${samples.join("")}`;
  });
  const problems = statuses.flatMap((status) => {
    return status.problems.map(({ code, severity }) => {
      return `tidemark_problem{${labelOf(status)},code="${code}",severity="${severity}"} 1\n`;
    });
  });
  if (problems.length > 0) {
    blocks.push(`${formatGaugeHeader("tidemark_problem", undefined, "What should be looked at.")}${problems.join("")}`);
  }
  return `${blocks.join("")}# EOF\n`;
}

/** What stands before the samples of a gauge. */
export function formatGaugeHeader(name: string, unit: string | undefined, help: string): string {
  return formatHeader(name, "gauge", unit, help);
}

/** What stands before the samples of a counter, whose names end with `_total` beside this one. */
export function formatCounterHeader(name: string, unit: string | undefined, help: string): string {
  return formatHeader(name, "counter", unit, help);
}

function formatHeader(name: string, type: string, unit: string | undefined, help: string): string {
  const unitLine = unit === undefined ? "" : `# UNIT ${name} ${unit}\n`;
  return `# TYPE ${name} ${type}\n${unitLine}# HELP ${name} ${help}\n`;
}

function labelOf({ site, stateDir }: SiteStatus): string {
  return formatLabel("site", site ?? stateDir);
}

/** A label and its value, whatever that holds. */
export function formatLabel(name: string, value: string): string {
  return `${name}="${value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')}"`;
}
