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
 * Reads OpenMetrics 1.0 text of gauges without timestamps, as strictly as its ABNF and the sections on metric
 * families demand. Throws if anything is not as it must be.
 */
export function parseGauges(text: string): Sample[] {
  assert.ok(text.endsWith("# EOF\n"), "ends with # EOF and a line feed");
  const lines = text.slice(0, -"# EOF\n".length).split("\n");
  assert.equal(lines.pop(), "", "each line ends with a line feed");
  const families = new Map<string, Set<string>>();
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
      if (key === "TYPE") assert.equal(value, "gauge");
      if (key === "UNIT") assert.ok(of.endsWith(`_${value}`), `${of} ends with its unit ${value}`);
      if (key === "HELP") assert.match(value, /^(?:[^\\\n"]|\\[\\n"])+$/);
      continue;
    }
    const [, of = "", labels = "", value = ""] =
      sampleForm.exec(line) ?? assert.fail(`no line of OpenMetrics: ${line}`);
    assert.equal(of, family, "a sample of a gauge has its family's name");
    assert.ok(families.get(of)?.has("TYPE") && families.get(of)?.has("HELP"), `${of} is explained`);
    assert.match(value, numberForm);
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
