/** The text of metrics: OpenMetrics 1.0, or the older text format 0.0.4 of Prometheus. */
export type MetricsFormat = "openmetrics" | "prometheus";

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
 * Formats a metric. In text of Prometheus the name of a counter has its ending everywhere, and there are no units.
 *
 * @param samples - labels as {@link formatLabels} writes them, or nothing, and a value
 * @returns nothing if there are no samples
 */
export function formatMetric(
  { name, type, help }: Omit<Metric<never>, "read">,
  samples: ReadonlyArray<readonly [labels: string, value: number]>,
  format: MetricsFormat = "openmetrics",
): string {
  if (samples.length === 0) return "";
  const [, unit] = /_(seconds|bytes)$/.exec(name) ?? [];
  const isOpen = format === "openmetrics";
  const unitLine = unit === undefined || !isOpen ? "" : `# UNIT ${name} ${unit}\n`;
  const ending = type === "counter" ? "_total" : "";
  const family = isOpen ? name : name + ending;
  const lines = samples.map(([labels, value]) => `${name}${ending}${labels} ${value}\n`);
  return `# TYPE ${family} ${type}\n${unitLine}# HELP ${family} ${help}\n${lines.join("")}`;
}
