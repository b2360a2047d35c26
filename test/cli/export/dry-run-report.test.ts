import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DryRunReport } from "../../../src/cli/export/dry-run-report.ts";
import type { ExportSummary } from "../../../src/core/export-event.ts";

const summary: ExportSummary = {
  site: "https://example.org/",
  stateDir: "/state",
  pages: 1500,
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 1500,
  touched: 0,
  withheld: 0,
  withheldByRule: {},
  errors: 0,
  warnings: 0,
  archivesWritten: 0,
  archivesListed: 0,
  intervals: 0,
  bytesWritten: 0,
  publication: 1_795_140_000,
  published: false,
  newBase: false,
  epoch: "abcdefgh",
  dryRun: true,
  elapsedMs: 1,
};

describe("the report of a dry run", () => {
  it("counts by media type and by rule, with examples, the most first, in 80 columns", () => {
    const report = new DryRunReport();
    report.addPage({ event: "page", path: "/a.png", change: "created", mediaType: "image/png" });
    for (let at = 0; at < 1200; at++) {
      report.addPage({
        event: "page",
        path: `/a-long-folder/another-folder/page-${at}.html`,
        change: "created",
        mediaType: "text/html",
      });
    }
    report.addPage({ event: "page", path: "/", change: "updated", mediaType: "text/html" });
    report.addPage({ event: "page", path: "/gone.html", change: "deleted" });
    report.addPage({ event: "page", path: "/touched.html", change: "touched" });
    report.addWithheld({ event: "withheld", path: "/.git/", rule: "version-control" });
    const counts = { created: 1201, updated: 1, deleted: 1, includes: { pages: 3, dynamic: 1 } };
    const text = report.format({ ...summary, ...counts });
    assert.equal(
      text,
      `Dry run for https://example.org/: nothing was written.

Would be published as created:
  1,200  text/html  /a-long-fold…r/page-0.html /a-long-fold…r/page-1.html …
      1  image/png  /a.png

Would be published as updated:
  1  text/html  /

Would be published as deleted:
  1  any type  /gone.html

3 pages with server-side includes (--ssi), without size and digest;
  of these, 1 with output that no file holds, such as that of exec.

Would be held back:
  1  version control  /.git/

What would publish it all the same:
  version control  a copy under another name
`,
    );
    for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  });

  it("says so where there is nothing", () => {
    const text = new DryRunReport().format(summary);
    assert.match(text, /Nothing new would become public \(1,500 pages published before\)/);
    assert.match(text, /Nothing is held back/);
  });
});
