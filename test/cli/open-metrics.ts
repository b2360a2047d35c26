import assert from "node:assert/strict";

/** One sample. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const name = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const metadataForm = new RegExp(`^# (TYPE|UNIT|HELP) (${name}) (.*)$`, "s");
const sampleForm = new RegExp(`^(${name})(?:\\{(.*)\\})? (\\S+)$`, "s");
const labelForm = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/y;
const numberForm = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Reads OpenMetrics 1.0 text of gauges and counters without timestamps, as strictly as its ABNF and the sections on metric
 * families demand. Throws if anything is not as it must be.
 */
export function parseOpenMetrics(text: string): Sample[] {
  assert.ok(text.endsWith("# EOF\n"), "ends with # EOF and a line feed");
  const lines = text.slice(0, -"# EOF\n".length).split("\n");
  assert.equal(lines.pop(), "", "each line ends with a line feed");
  const families = new Map<string, Set<string>>();
  const counters = new Set<string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  let family = "";
  let hasSamples = false;
  for (const line of lines) {
    const metadata = metadataForm.exec(line);
    if (metadata !== null) {
      const [, key = "", of = "", value = ""] = metadata;
      if (of !== family || hasSamples) {
        assert.ok(!families.has(of), `the family ${of} is in one piece`);
        families.set(of, new Set());
        [family, hasSamples] = [of, false];
      }
      assert.ok(!families.get(of)?.has(key), `${key} of ${of} stands once`);
      families.get(of)?.add(key);
      if (key === "TYPE") assert.match(value, /^(?:gauge|counter)$/);
      if (key === "TYPE" && value === "counter") counters.add(of);
      if (key === "TYPE") assert.doesNotMatch(of, /_total$/, "a family's name has no suffix of its samples");
      if (key === "UNIT") assert.ok(of.endsWith(`_${value}`), `${of} ends with its unit ${value}`);
      if (key === "HELP") assert.match(value, /^(?:[^\\\n"]|\\[\\n"])+$/);
      continue;
    }
    const [, of = "", labels = "", value = ""] =
      sampleForm.exec(line) ?? assert.fail(`no line of OpenMetrics: ${line}`);
    const suffix = counters.has(family) ? "_total" : "";
    assert.equal(of, `${family}${suffix}`, "a sample has its family's name, of a counter with _total");
    assert.ok(families.get(family)?.has("TYPE") && families.get(family)?.has("HELP"), `${of} is explained`);
    assert.match(value, numberForm);
    assert.ok(suffix === "" || Number(value) >= 0, `the counter ${of} is not negative`);
    const parsed = parseLabels(labels);
    const key = `${of} ${JSON.stringify(Object.entries(parsed).sort())}`;
    assert.ok(!seen.has(key), `${key} stands once`);
    seen.add(key);
    hasSamples = true;
    samples.push({ name: of, labels: parsed, value: Number(value) });
  }
  return samples;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let at = 0; at < text.length; at = labelForm.lastIndex) {
    labelForm.lastIndex = at;
    const [, label = "", value = ""] = labelForm.exec(text) ?? assert.fail(`no labels: ${text}`);
    assert.ok(!(label in labels), `the label ${label} stands once`);
    labels[label] = value.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
  }
  return labels;
}
