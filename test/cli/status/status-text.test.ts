import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatOpenMetrics } from "../../../src/cli/status/status-metrics.ts";
import { formatStatus, formatStatusTable } from "../../../src/cli/status/status-text.ts";
import { formatBar, isUtf8Locale, wrapText } from "../../../src/cli/terminal/text-layout.ts";
import type { SiteStatus } from "../../../src/exporter/status/site-status.ts";
import { fc } from "../../property.ts";
import { parseOpenMetrics } from "../open-metrics.ts";

const now = Date.parse("2026-11-21T12:00:00Z");
const publication = Date.parse("2026-11-21T02:00:03Z") / 1000;

const busy: SiteStatus = {
  site: "https://example.org/",
  stateDir: "/var/lib/tidemark/example.org",
  now,
  status: "warning",
  problems: [
    {
      severity: "warning",
      code: "files-failed",
      message:
        "2 items failed in the last run (/a/very/long/path/to/a/page.html: Could not read it: input/output error).",
    },
  ],
  ledger: {
    site: "https://example.org/",
    epoch: "0123456789abcdef",
    publication,
    pages: 123_456,
    base: publication - 20 * 86_400,
    changesSinceBase: 40_000,
    changesUntilBase: 83_456,
    intervals: 31,
    archives: 412,
    intervalBytes: 1_000_000,
    days: Array.from({ length: 14 }, (_, at) => ({
      date: new Date(Date.UTC(2026, 10, 8 + at)).toISOString().slice(0, 10),
      changes: at * at * 77,
      isEstimate: at < 3,
    })),
  },
  published: { docroot: "/var/www/html", index: "equal", missing: [], missingCount: 0, listedBytes: 12_345_678 },
  lastRun: {
    site: "https://example.org/",
    docroot: "/var/www/html",
    robotsDir: "/var/www/html",
    kind: "export",
    startedMs: publication * 1000,
    endedMs: publication * 1000 + 3210,
    outcome: "published",
    succeededMs: publication * 1000 + 3210,
    segmentSize: 2000,
    created: 3,
    updated: 1200,
    deleted: 1,
    withheld: 17,
    errors: 2,
    warnings: 1,
    troubles: [],
  },
  running: { pid: 4711, host: "www1.example.org", processStart: "", since: "2026-11-21T11:59:00.000Z" },
  nextRun: { timer: "tidemark-export@example.org.timer", atMs: Date.parse("2026-11-22T02:13:00Z") },
};

const empty: SiteStatus = {
  site: undefined,
  stateDir: '/tmp/"odd"\\\nstäte',
  now,
  status: "critical",
  problems: [{ severity: "critical", code: "never-published", message: "Nothing was published: there is no state." }],
  ledger: undefined,
  published: undefined,
  lastRun: undefined,
  running: undefined,
  nextRun: undefined,
};

const views = [
  { columns: 80, unicode: true },
  { columns: 80, unicode: false },
];

describe("the status for people", () => {
  for (const view of views) {
    it(`fits in 80 columns, ${view.unicode ? "with" : "without"} more than ASCII`, () => {
      const texts = [formatStatus(busy, view), formatStatus(empty, view), formatStatusTable([busy, empty], view)];
      for (const line of texts.flatMap((text) => text.split("\n"))) {
        assert.ok(line.length <= 80, line);
        if (!view.unicode) assert.match(line, /^[\x20-\x7e]*$/);
      }
    });
  }

  it("says what was asked", () => {
    const text = formatStatus(busy, { columns: 80, unicode: false });
    assert.match(text, /^https:\/\/example\.org\/: warning\n {2}warning {6}2 items failed/);
    assert.match(text, /2\s+items\s+failed\n/);
    assert.match(text, /published {4}2026-11-21 02:00:03Z, 9 hours ago\n/);
    assert.match(text, /archives {5}412 \(the base and 31 intervals\), 11\.8 MiB in all\n/);
    assert.match(text, /a new base after\n {15}83,456 more, in about 19 days at this rate\n/);
    assert.match(text, /next run {5}2026-11-22 02:13:00Z, by tidemark-export@example\.org\.timer\n/);
    assert.match(text, / {2}2026-11-21 Sat {2}13,013 {2}#{50,}\n/);
    assert.match(text, / {2}2026-11-09 Mon {5}~77 {2}#\n/);
    assert.match(text, /~: an estimate, because the publications of several days have been merged\n$/);
  });

  it("draws no chart where nothing changed", () => {
    assert.ok(busy.ledger !== undefined);
    const days = busy.ledger.days.map((day) => ({ ...day, changes: 0 }));
    const text = formatStatus({ ...busy, ledger: { ...busy.ledger, days } }, { columns: 80, unicode: true });
    assert.match(text, /\n {2}no changes were published in 14 days\n$/);
    assert.doesNotMatch(text, /at this rate/);
  });

  it("knows a locale of UTF-8 by the first variable that is set", () => {
    assert.ok(isUtf8Locale({ LANG: "en_GB.UTF-8" }));
    assert.ok(isUtf8Locale({ LANG: "C", LC_CTYPE: "C.utf8" }));
    assert.ok(!isUtf8Locale({ LANG: "en_GB.UTF-8", LC_ALL: "C" }));
    assert.ok(isUtf8Locale({ LC_ALL: "", LANG: "de_DE.UTF-8" }));
    assert.ok(!isUtf8Locale({}));
  });

  it("has bars that grow with the value and never leave their width", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 60 }), fc.boolean(), (a, b, width, unicode) => {
        const most = Math.max(a, b, 1);
        const [small, large] = [Math.min(a, b), Math.max(a, b)].map((value) => formatBar(value, most, width, unicode));
        assert.ok((small?.length ?? 0) <= (large?.length ?? 0));
        assert.ok((large?.length ?? 0) <= width);
        assert.equal(small === "", Math.min(a, b) === 0);
        if (Math.max(a, b) > 0) assert.equal(large, (unicode ? "█" : "#").repeat(width));
      }),
    );
  });

  it("breaks lines at spaces, and loses no word", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,30}$/));
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), (list, columns) => {
        const wrapped = wrapText(list.join(" "), columns, "  first ", "        ");
        assert.deepEqual(wrapped.trim().split(/\s+/), ["first", ...list]);
        for (const line of wrapped.trimEnd().split("\n")) {
          assert.ok(line.length <= columns || line.trim().split(" ").length <= 2, line);
        }
      }),
    );
  });
});

describe("the status for Prometheus", () => {
  it("is OpenMetrics, with the values that are known", () => {
    const samples = parseOpenMetrics(formatOpenMetrics([busy, empty]));
    const of = (name: string) => samples.filter((sample) => sample.name === name).map(({ value }) => value);
    assert.deepEqual(of("tidemark_status"), [1, 2]);
    assert.deepEqual(of("tidemark_pages"), [123_456]);
    assert.deepEqual(of("tidemark_publication_timestamp_seconds"), [publication]);
    assert.deepEqual(of("tidemark_last_run_duration_seconds"), [3.21]);
    assert.deepEqual(of("tidemark_archives_bytes"), [12_345_678]);
    assert.deepEqual(
      samples.filter(({ name }) => name === "tidemark_problem").map(({ labels }) => labels),
      [
        { site: "https://example.org/", code: "files-failed", severity: "warning" },
        { site: empty.stateDir, code: "never-published", severity: "critical" },
      ],
    );
    for (const { name } of samples) assert.match(name, /^tidemark_/);
  });

  it("is read by a parser that refuses what is not OpenMetrics", () => {
    const good = '# TYPE a gauge\n# HELP a A.\na{b="c"} 1\n# EOF\n';
    const counter = good.replace("gauge", "counter").replace("\na{", "\na_total{");
    for (const text of [good, counter]) assert.equal(parseOpenMetrics(text).length, 1);
    const bad = [
      good.replace("# EOF\n", ""),
      good.replace("# EOF\n", "# EOF"),
      good.replace(" 1\n", " one\n"),
      good.replace(" 1\n", " 1 \n"),
      good.replace("a{", "b{"),
      good.replace('"c"', '"c'),
      good.replace('"c"', '"\\c"'),
      good.replace('b="c"', 'b="c",b="d"'),
      good.replace("# TYPE a gauge\n", ""),
      good.replace("gauge", "counter"),
      counter.replace(" 1\n", " -1\n"),
      good.replaceAll(/\ba\b/g, "a_total"),
      good.replace("# HELP", "# UNIT a seconds\n# HELP"),
      good.replace("# EOF", 'a{b="c"} 2\n# EOF'),
      good.replace("# EOF", "# TYPE b gauge\n# HELP b B.\nb 1\n# TYPE a gauge\n# EOF"),
      good.replace("\na", "\n\na"),
    ];
    for (const text of bad) assert.throws(() => parseOpenMetrics(text), text);
  });
});
