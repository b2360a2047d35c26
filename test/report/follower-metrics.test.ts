import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatFollowerMetrics } from "../../src/report/follower-metrics.ts";
import { parseOpenMetrics } from "../cli/open-metrics.ts";
import { exampleStatus } from "../example-status.ts";

const status = exampleStatus();

describe("formatFollowerMetrics", () => {
  it("is OpenMetrics", () => {
    const samples = parseOpenMetrics(formatFollowerMetrics(status));
    const value = (name: string, label = "") =>
      samples.find((one) => one.name === name && (label === "" || Object.values(one.labels).includes(label)))?.value;
    assert.equal(value("tidemark_follower_up"), 1);
    assert.equal(value("tidemark_follower_saved_requests"), 901_235);
    assert.deepEqual([value("tidemark_follower_due_sites"), value("tidemark_follower_back_off_sites")], [12, 9]);
    assert.equal(value("tidemark_follower_pages_total", "updated"), 5678);
  });

  it("has states that come to all sites, and counters of what only rises", () => {
    const text = formatFollowerMetrics(status);
    const states = parseOpenMetrics(text).filter(({ name }) => name === "tidemark_follower_sites_by_state");
    assert.equal(
      states.reduce((sum, { value }) => sum + value, 0),
      status.sites,
    );
    const counters = [...text.matchAll(/^# TYPE tidemark_follower_(\w+) counter$/gm)].map(([, name]) => name);
    assert.deepEqual(counters, [
      ...["visits", "failed_visits", "requests", "received_bytes", "polling_requests", "pages"],
    ]);
  });

  it("says that nobody follows", () => {
    assert.deepEqual(parseOpenMetrics(formatFollowerMetrics(undefined)), [
      { name: "tidemark_follower_up", labels: {}, value: 0 },
    ]);
  });

  it("is the text format 0.0.4 for those who ask for it: counters by their whole names, no units, no end", () => {
    const text = formatFollowerMetrics(status, "prometheus");
    assert.match(
      text,
      /^# TYPE tidemark_follower_visits_total counter\n# HELP tidemark_follower_visits_total .*\ntidemark_follower_visits_total 4321$/m,
    );
    assert.doesNotMatch(text, /# (?:UNIT|EOF)/);
    const samples = (from: string): string[] => from.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    assert.deepEqual(samples(text), samples(formatFollowerMetrics(status)));
  });

  it("has as many samples for a hundred thousand sites as for one", () => {
    const count = (sites: number): number => parseOpenMetrics(formatFollowerMetrics({ ...status, sites })).length;
    assert.equal(count(100_000), count(1));
    assert.doesNotMatch(formatFollowerMetrics(status), /example/);
  });
});
