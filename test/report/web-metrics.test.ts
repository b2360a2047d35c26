import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatNoCrawl, formatWebMetrics } from "../../src/report/index.ts";
import { parseOpenMetrics } from "../cli/open-metrics.ts";
import { exampleWebStatus } from "../example-status.ts";

const status = exampleWebStatus();

describe("formatWebMetrics", () => {
  it("is OpenMetrics", () => {
    const samples = parseOpenMetrics(formatWebMetrics({ ...status, newShare: 0.7 }));
    const value = (name: string, label = "") =>
      samples.find((one) => one.name === name && (label === "" || Object.values(one.labels).includes(label)))?.value;
    assert.deepEqual([value("tidemark_web_up"), value("tidemark_web_new_share")], [1, 0.7]);
    assert.deepEqual([value("tidemark_web_sites"), value("tidemark_web_waiting_urls")], [40, 300]);
    assert.deepEqual([value("tidemark_web_pages_total"), value("tidemark_web_failed_pages_total")], [580, 10]);
    assert.equal(value("tidemark_web_page_requests_total", "known"), 66);
    assert.equal(value("tidemark_web_held_back_total", "domain-sites"), 8);
  });

  it("counts what starts at 0 with each run, and nothing that the crawl keeps", () => {
    const counters = [...formatWebMetrics(status).matchAll(/^# TYPE tidemark_web_(\w+) counter$/gm)];
    assert.deepEqual(
      counters.map(([, name]) => name),
      [
        ...["pages", "failed_pages", "requests", "received_bytes", "links", "visits", "changed_pages"],
        ...["page_requests", "held_back"],
      ],
    );
  });

  it("says that nothing is up", () => {
    const samples = parseOpenMetrics(formatNoCrawl());
    assert.deepEqual(samples, [
      { name: "tidemark_follower_up", labels: {}, value: 0 },
      { name: "tidemark_web_up", labels: {}, value: 0 },
    ]);
    assert.deepEqual(parseOpenMetrics(formatWebMetrics(undefined)), samples.slice(1));
  });
});
