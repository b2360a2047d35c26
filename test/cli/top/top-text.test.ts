import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTop } from "../../../src/cli/top/top-text.ts";
import { maxStatusRows } from "../../../src/crawler/follow/status-file.ts";
import { exampleStatus } from "../../example-status.ts";

const status = exampleStatus();
const look = { status, ageMs: 300, isBusy: false };
const view = { columns: 80, unicode: true, isBold: false, now: status.writtenMs };

describe("formatTop", () => {
  it("fits eighty columns, and says all that matters in them", () => {
    const lines = formatTop(look, view);
    for (const line of lines) assert.ok(line.length <= 80, line);
    const text = lines.join("\n");
    for (const part of [
      /2,007: 3 under way, 1,990 waiting \(12 due\), 14 paused, 9 in back-off$/m,
      /13 requests\/s|14 requests\/s/,
      /901,235 of 1,000,000 \(90\.1 %\)/,
      /^under way \(3\) +for +requests +bytes +changes +rests$/m,
      /^a\.example +5 s +3 +2\.0 KiB +1$/m,
      /^long-.*…\S+ +15 min +30,000 +1\.9 GiB +1,000 +30 s: asked to wait$/m,
      /^https:\/\/b\.example +7 +10 min +connect refused.*…$/m,
      /^https:\/\/c\.example +due +9$/m,
      /^https:\/\/d\.example +2 h +5$/m,
      /^paused \(14\)/m,
      /^https:\/\/e\.example +paused +5$/m,
    ])
      assert.match(text, part);
    assert.doesNotMatch(text, /\u001b/);
  });

  it("does not take the sites that a status lists for all that are in trouble", () => {
    const [one] = status.troubled;
    const troubled = Array.from({ length: maxStatusRows }, () => one ?? assert.fail());
    const headingOf = (sites: typeof troubled): string =>
      formatTop({ ...look, status: exampleStatus({ troubled: sites }) }, view).find((line) =>
        line.startsWith("in trouble"),
      ) ?? "";
    assert.match(headingOf(troubled), /^in trouble \(100 or more\) /);
    assert.match(headingOf(troubled.slice(1)), /^in trouble \(99\) /);
  });

  it("keeps what distinguishes sites at sixty columns", () => {
    const site = (name: string) => ({ ...(status.visiting[0] ?? assert.fail()), site: name });
    const hosts = ["https://documentation.archive.example.org", "https://documentation.mirror.example.com"];
    const { visiting } = exampleStatus();
    const long = { ...look, status: exampleStatus({ visiting: [...visiting, ...hosts.map(site)] }) };
    const lines = formatTop(long, { ...view, columns: 60 });
    const shown = hosts.map((host) => {
      const end = host.slice(-9);
      return (
        lines.find((line) => line.startsWith("documenta") && line.includes(`${end} `)) ?? assert.fail(lines.join("\n"))
      );
    });
    assert.equal(new Set(shown).size, 2);
    assert.ok(lines.some((line) => line.endsWith("30 s: asked to wait")));
    for (const line of lines) assert.ok(line.length <= 60, line);
  });

  it("leaves out no total, however many sites there are and however narrow it is", () => {
    const many = { sites: 100_000, underWay: 8192, waiting: 91_807, due: 61_984, paused: 1, backOff: 54_321 };
    const large = {
      visits: 1e8,
      requests: 1e10,
      pollingRequests: 1e11,
      savedRequests: 9e10,
      updated: 1e9,
      host: "crawler",
    };
    const busy = { ...look, status: exampleStatus({ ...many, ...large }), isBusy: true };
    for (const columns of [40, 60, 80]) {
      const lines = formatTop(busy, { ...view, columns });
      for (const line of lines) assert.ok(line.length <= columns, line);
      const totals = lines.slice(0, lines.indexOf("")).join("\n");
      const words = totals.replaceAll(/\s+/g, " ");
      assert.match(
        words,
        /sites 100,000: 8,192 under way, 91,807 waiting \(61,984 due\), 1 paused, 54,321 in back-off visits/,
      );
      assert.match(words, /busy: no status .* polling each page would take$/);
      assert.doesNotMatch(words, /…/);
    }
  });

  it("says of a site in trouble that it is paused, or under way", () => {
    const site = { site: "https://b.example", failures: 2, message: "timeout" };
    const nextMs = status.writtenMs - 1000;
    const rowOf = (changed: object): string[] | undefined => {
      const lines = formatTop({ ...look, status: exampleStatus({ troubled: [{ ...site, ...changed }] }) }, view);
      return lines.find((line) => line.endsWith("timeout"))?.split(/ {2,}/);
    };
    assert.deepEqual(rowOf({ nextMs, isPaused: true }), ["https://b.example", "2", "paused", "timeout"]);
    assert.deepEqual(rowOf({ isPaused: true }), ["https://b.example", "2", "now", "timeout"]);
    assert.equal(rowOf({ nextMs })?.[2], "due");
  });

  it("fits any terminal", () => {
    const full = exampleStatus({ next: Array(maxStatusRows).fill(status.next[0]) });
    for (const columns of [20, 40, 79, 132])
      for (const rows of [1, 5, 10, 24, 60]) {
        const lines = formatTop({ ...look, status: full }, { ...view, columns, rows });
        assert.ok(lines.length <= rows, `${columns} × ${rows}: ${lines.length} lines`);
        for (const line of lines) assert.ok(line.length <= columns, line);
      }
    // Each list has its share, and the long one what the others leave.
    const lines = formatTop({ ...look, status: full }, { ...view, rows: 30 });
    assert.deepEqual([lines.length, lines.some((line) => line.startsWith("paused"))], [30, true]);
  });

  it("has bold headings only where they are wanted, and ASCII where that is all", () => {
    const bold = formatTop(look, { ...view, isBold: true }).filter((line) => line.includes("\u001b"));
    assert.equal(bold.length, 4);
    for (const line of bold) assert.match(line, /^\u001b\[1m.*\u001b\[22m$/);
    for (const line of formatTop(look, { ...view, unicode: false })) assert.match(line, /^[\x20-\x7e]*$/);
  });

  it("says that a follower is busy, and that nothing is known yet", () => {
    const fresh = exampleStatus({
      pollingRequests: 0,
      savedRequests: 0,
      visiting: [],
      troubled: [],
      next: [],
      pausedSites: [],
    });
    const lines = formatTop({ status: fresh, ageMs: 42_000, isBusy: true }, view);
    assert.equal(lines.length, 6);
    assert.match(lines[0] ?? "", /busy: no status for 42 s/);
    assert.match(lines[5] ?? "", /no visit is complete yet/);
  });
});
