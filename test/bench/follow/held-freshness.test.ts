import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareFreshness, HeldFreshness } from "./held-freshness.ts";
import type { LivingPage } from "./living-web.ts";
import { pollAsFresh, pollAt } from "./polling-cost.ts";

const from = 1_000_000_000;
/** A thousandth of the time that is measured. */
const unit = 86_400;
const span = { from, to: from + 1000 * unit };

function pageOf(site: number, ...changes: readonly number[]): LivingPage {
  const versions = [0, ...changes.map((at) => from + at * unit)].map((at, version) => ({ version, at }));
  return { site, kind: "links", path: `/${site}`, versions, versionOf: () => undefined };
}

describe("HeldFreshness", () => {
  it("counts the time in which what was sent last is what is served", () => {
    const pages = [pageOf(0, 250, 500), pageOf(1)];
    const meter = new HeldFreshness(span.from, span.to);
    const [changing, still] = pages as [LivingPage, LivingPage];
    meter.note(changing, 0, from - unit);
    meter.note(changing, 1, from + 400 * unit);
    meter.note(still, 0, from + 900 * unit);
    // From 0 to 250, and from 400 to 500; from 900 on.
    const { all, sites, quarters } = meter.finish(pages);
    assert.equal(sites.get(0), 0.35);
    assert.equal(sites.get(1), 0.1);
    assert.equal(all, 0.225);
    assert.deepEqual(quarters, [0.5, 0.2, 0, 0.2]);
    assert.equal(meter.heldOf(changing), 1);
  });

  it("is compared site by site", () => {
    const pages = [pageOf(0), pageOf(1)];
    const [one, other] = [new HeldFreshness(span.from, span.to), new HeldFreshness(span.from, span.to)];
    for (const page of pages) {
      one.note(page, 0, from);
      other.note(page, 0, from + 100 * unit * (page.site + 1));
    }
    const { mean, standardError } = compareFreshness(one.finish(pages), other.finish(pages));
    assert.ok(Math.abs(mean - 0.15) < 1e-9 && Math.abs(standardError - 0.05) < 1e-9);
  });
});

describe("pollAt", () => {
  it("is the mean over all phases of an interval", () => {
    const page = pageOf(0, 200, 700);
    const intervalMs = 100 * unit;
    // A day is measured; each change is found after half an interval in the mean.
    const { freshness, requests } = pollAt(intervalMs, [page], span);
    assert.ok(Math.abs(freshness - 0.9) < 1e-9, `${freshness}`);
    assert.equal(requests, 10 + 1, "and robots.txt once a day");
  });

  it("is found again by its freshness", () => {
    const pages = [pageOf(0, 200, 700), pageOf(1, 500), pageOf(2, 20, 40, 60)];
    const wanted = pollAt(300 * unit, pages, span);
    const found = pollAsFresh(wanted.freshness, pages, span);
    assert.ok(Math.abs(found.intervalMs / unit - 300) < 1, `${found.intervalMs}`);
  });
});
