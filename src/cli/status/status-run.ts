import { resolve } from "node:path";
import { omitUndefined } from "../../core/index.ts";
import { readSiteStatus, type SiteStatus, type SiteStatusOptions } from "../../exporter/index.ts";
import { writeTextFile } from "../../fs/index.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes, worstExitCode } from "../terminal/exit-code.ts";
import { findSites } from "../terminal/site-choice.ts";
import { formatOpenMetrics } from "./status-metrics.ts";
import { formatStatus, formatStatusTable, isUtf8Locale } from "./status-text.ts";

/** What the command line says about a look at an exporter. */
export interface StatusArguments {
  readonly configFile?: string;
  readonly site?: string;
  readonly baseUrl?: string;
  readonly stateDir?: string;
  readonly docroot?: string;
  readonly maxAgeMs?: number;
  /** A file, "-" for standard output. */
  readonly openMetricsFile?: string;
}

const exitCodeOf = { fine: exitCodes.done, warning: exitCodes.warning, critical: exitCodes.critical } as const;

/** Looks at exporters, prints how they are doing, and says it by the exit code. */
export async function runStatus(options: StatusArguments, context: RunContext): Promise<ExitCode> {
  const { out, json, quiet } = context;
  const { openMetricsFile, maxAgeMs } = options;
  const statuses: SiteStatus[] = [];
  for (const site of await sitesOf(options)) {
    const status = await readSiteStatus(omitUndefined({ ...site, maxAgeMs }) as SiteStatusOptions);
    statuses.push(status);
  }
  const code = worstExitCode(statuses.map(({ status }) => exitCodeOf[status]));
  if (openMetricsFile === "-") out.write(formatOpenMetrics(statuses));
  else if (openMetricsFile !== undefined) {
    await writeTextFile(resolve(openMetricsFile), formatOpenMetrics(statuses), { overwrite: true });
  }
  if (json) printJson(statuses, context);
  else if (!quiet && openMetricsFile === undefined) {
    const view = { columns: Math.min(100, out.columns), unicode: isUtf8Locale(process.env) };
    const [only, ...others] = statuses;
    if (only !== undefined)
      out.write(others.length === 0 ? formatStatus(only, view) : formatStatusTable(statuses, view));
  }
  return code;
}

async function sitesOf(options: StatusArguments): Promise<SiteStatusOptions[]> {
  const { configFile, site, baseUrl, stateDir, docroot } = options;
  if (configFile === undefined) return [omitUndefined({ baseUrl, stateDir, docroot }) as SiteStatusOptions];
  const sites = await findSites({ settings: {}, configFile, ...omitUndefined({ site }) });
  return sites.map((one) => {
    return omitUndefined({ baseUrl: one.baseUrl, stateDir: one.stateDir, docroot: one.docroot }) as SiteStatusOptions;
  });
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
