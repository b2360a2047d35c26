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

/** What a sample is of, as {@link formatLabels} writes it, or nothing; and its value. */
export type Sample = readonly [labels: string, value: number];

/** A metric and its samples. */
export type MetricFamily = readonly [metric: Omit<Metric<never>, "read">, samples: readonly Sample[]];

/** Samples of which each has another value of a label. */
export function samplesBy(label: string, values: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(values).map(([value, count]) => [formatLabels({ [label]: value }), count]);
}

/** Metrics of one source, a sample each; 0 where a value is not known. */
export function familiesOf<Source>(metrics: ReadonlyArray<Metric<Source>>, source: Source): MetricFamily[] {
  return metrics.map((metric) => [metric, [["", metric.read(source) ?? 0]]]);
}

/** Formats a whole text of metrics, whose names begin with the prefix of their group. */
export function formatMetrics(
  groups: Readonly<Record<string, readonly MetricFamily[]>>,
  format: MetricsFormat = "openmetrics",
): string {
  const blocks = Object.entries(groups).flatMap(([prefix, families]) =>
    families.map(([metric, samples]) => formatMetric({ ...metric, name: `${prefix}_${metric.name}` }, samples, format)),
  );
  return `${blocks.join("")}${format === "openmetrics" ? "# EOF\n" : ""}`;
}

/**
 * Formats a metric. In text of Prometheus the name of a counter has its ending everywhere, and there are no units.
 *
 * @returns nothing if there are no samples
 */
function formatMetric(
  { name, type, help }: Omit<Metric<never>, "read">,
  samples: readonly Sample[],
  format: MetricsFormat,
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
