import { omitUndefined } from "../../core/index.ts";
import { readSiteStatus, type SiteStatus, type SiteStatusOptions } from "../../exporter/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes, worstExitCode } from "../terminal/exit-code.ts";
import { writeMetrics } from "../terminal/metrics-file.ts";
import { findSites, type SiteChoice } from "../terminal/site-choice.ts";
import { isUtf8Locale } from "../terminal/text-layout.ts";
import { formatOpenMetrics } from "./status-metrics.ts";
import { formatStatus, formatStatusTable } from "./status-text.ts";

/** What the command line says about a look at an exporter. */
interface StatusArguments extends SiteStatusOptions, Omit<SiteChoice, "settings"> {
  /** A file, "-" for standard output. */
  readonly openMetricsFile?: string;
}

const exitCodeOf = { fine: exitCodes.done, warning: exitCodes.warning, critical: exitCodes.critical } as const;

/** Looks at exporters, prints how they are doing, and says it by the exit code. */
export async function runStatus(options: StatusArguments, context: RunContext): Promise<ExitCode> {
  const { out, json, quiet } = context;
  const { openMetricsFile, maxAgeMs, configFile, site, ...asked } = options;
  const sites =
    configFile === undefined ? [asked] : await findSites({ settings: {}, configFile, ...omitUndefined({ site }) });
  const statuses: SiteStatus[] = [];
  for (const { baseUrl, stateDir, docroot } of sites)
    statuses.push(await readSiteStatus(omitUndefined({ baseUrl, stateDir, docroot, maxAgeMs })));
  if (openMetricsFile !== undefined) await writeMetrics(formatOpenMetrics(statuses), openMetricsFile, context);
  if (json) printJson(statuses, context);
  else if (!quiet && openMetricsFile === undefined) {
    const view = { columns: Math.min(100, out.columns), unicode: isUtf8Locale(process.env) };
    const [only, ...others] = statuses;
    if (only !== undefined)
      out.write(others.length === 0 ? formatStatus(only, view) : formatStatusTable(statuses, view));
  }
  return worstExitCode(statuses.map(({ status }) => exitCodeOf[status]));
}

function printJson(statuses: readonly SiteStatus[], { out }: RunContext): void {
  const [only, ...others] = statuses;
  if (only !== undefined && others.length === 0) {
    out.writeJson({ event: "summary", ...only });
    return;
  }
  for (const status of statuses) out.writeJson({ event: "site-status", ...status });
  const count = (wanted: SiteStatus["status"]) => statuses.filter(({ status }) => status === wanted).length;
  const [fine, warning, critical] = [count("fine"), count("warning"), count("critical")];
  const status = critical > 0 ? "critical" : warning > 0 ? "warning" : "fine";
  out.writeJson({ event: "summary", status, sites: statuses.length, fine, warning, critical });
}
