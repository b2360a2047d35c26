import { resolve } from "node:path";
import { writeTextFile } from "../../fs/index.ts";
import type { RunContext } from "./command.ts";

/** A metric of OpenMetrics. Its unit, if it has one, is the end of its name. */
export interface Metric<Source> {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  /** Its value; undefined where that is not known. */
  readonly read: (source: Source) => number | undefined;
}

export function gauge<Source>(name: string, help: string, read: Metric<Source>["read"]): Metric<Source> {
  return { name, type: "gauge", help, read };
}

export function counter<Source>(name: string, help: string, read: Metric<Source>["read"]): Metric<Source> {
  return { name, type: "counter", help, read };
}

/** Formats labels and their values, whatever those hold. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const quote = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
  return `{${Object.entries(labels).map(([name, value]) => `${name}="${quote(value)}"`)}}`;
}

/**
 * Formats a metric as OpenMetrics 1.0 text; a gauge is Prometheus text format 0.0.4, too.
 *
 * @param samples - labels as {@link formatLabels} writes them, or nothing, and a value
 * @returns nothing if there are no samples
 */
export function formatMetric(
  { name, type, help }: Omit<Metric<never>, "read">,
  samples: ReadonlyArray<readonly [labels: string, value: number]>,
): string {
  if (samples.length === 0) return "";
  const [, unit] = /_(seconds|bytes)$/.exec(name) ?? [];
  const unitLine = unit === undefined ? "" : `# UNIT ${name} ${unit}\n`;
  const ending = type === "counter" ? "_total" : "";
  const lines = samples.map(([labels, value]) => `${name}${ending}${labels} ${value}\n`);
  return `# TYPE ${name} ${type}\n${unitLine}# HELP ${name} ${help}\n${lines.join("")}`;
}

/** Writes OpenMetrics text to what `--openmetrics` names: a file, or `-` for standard output. */
export async function writeMetrics(text: string, file: string, { out }: RunContext): Promise<void> {
  if (file === "-") out.write(text);
  else await writeTextFile(resolve(file), text, { overwrite: true });
}
