import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cutDays } from "../../../lab/brandman/history-days.ts";
import { makeHistory } from "../../../lab/brandman/made-history.ts";
import { type ReplayCrawlerKind, replayCrawlers } from "../../../lab/brandman/replay-crawler.ts";
import { followWeb, type ReplayLevel } from "../../../lab/brandman/replay-levels.ts";
import { ReplayedWeb } from "../../../lab/brandman/replayed-web.ts";
import { VirtualPublisher } from "../../../lab/brandman/virtual-publisher.ts";
import { createLabPorts } from "../../../lab/program/lab-ports.ts";

const { mediaTypeOf, pack } = createLabPorts("");
const days = 30;

function follow(kind: ReplayCrawlerKind, bandwidths: readonly number[], fieldsBytes = 0): Promise<ReplayLevel[]> {
  const web = new ReplayedWeb(cutDays(makeHistory(300, days, 4), days), mediaTypeOf, 1);
  const publisher = new VirtualPublisher(pack);
  return followWeb({ web, kind, bandwidths, fieldsBytes, publisher, onDay: () => undefined });
}

/** The conventional crawler, with a map of what it holds and freshness counted anew each day. */
function crawlNaively(bandwidth: number): { freshness: number[]; bytes: number } {
  const web = new ReplayedWeb(cutDays(makeHistory(300, days, 4), days), mediaTypeOf, 1);
  web.next();
  const whole = web.totalBytes;
  const order = [...web.versions.keys()];
  const held = new Map(order.map((number) => [number, web.versions[number]]));
  const freshness: number[] = [];
  let [balance, next, bytes] = [0, 0, 0];
  while (web.next() !== undefined) {
    balance = Math.min(balance, 0) + bandwidth * whole;
    for (let asked = 0; asked < order.length && balance > 0; asked++) {
      const number = order[next] ?? 0;
      next = (next + 1) % order.length;
      held.set(number, web.versions[number]);
      balance -= web.sizes[number] ?? 0;
      bytes += web.sizes[number] ?? 0;
    }
    freshness.push(order.filter((number) => held.get(number) === web.versions[number]).length / order.length);
  }
  return { freshness, bytes };
}

describe("crawlers of a replayed web", () => {
  it("count what one counts who looks at every page every day", async () => {
    const bandwidths = [0.01, 0.1, 0.37, 1];
    const levels = await follow("conventional", bandwidths);
    for (const [at, bandwidth] of bandwidths.entries()) {
      const { freshness, bytes } = crawlNaively(bandwidth);
      const sums = levels[at]?.sums;
      assert.equal(sums?.days, days);
      assert.equal(sums?.bytes, bytes);
      assert.ok(Math.abs((sums?.freshness ?? 0) - freshness.reduce((sum, one) => sum + one, 0)) < 1e-9);
      assert.equal(sums?.last, freshness.at(-1));
    }
  });

  it("never spend more than their bandwidth, but for the last download", async () => {
    for (const kind of replayCrawlers) {
      for (const { budgetBytes, sums } of await follow(kind, [0.02, 0.2], 250))
        assert.ok(sums.bytes <= budgetBytes * days + 500_000, `${kind}: ${sums.bytes} of ${budgetBytes * days}`);
    }
  });

  it("are perfectly fresh with bandwidth for everything, whoever tells them", async () => {
    for (const kind of ["conditional", "archives", "ideal"] as const) {
      const [level] = await follow(kind, [2], 250);
      assert.equal(level?.sums.freshness, days);
    }
  });

  it("pay for archives what the archives take, so that news for nothing is never worse", async () => {
    const bandwidths = [0.05, 0.1, 0.2, 0.5];
    const [archives, ideal] = [await follow("archives", bandwidths, 250), await follow("ideal", bandwidths, 250)];
    for (const [at, level] of archives.entries()) {
      assert.ok(level.sums.metadataBytes > days * 500 && level.sums.metadataBytes < level.sums.bytes / 4);
      assert.ok(level.sums.freshness <= (ideal[at]?.sums.freshness ?? 0) + 0.05 * days);
    }
    assert.ok(ideal.every(({ sums }) => sums.metadataBytes === 0));
    const [everything, forNothing] = [archives.at(-1)?.sums, ideal.at(-1)?.sums];
    // With enough bandwidth both download the same pages.
    assert.equal((everything?.bytes ?? 0) - (everything?.metadataBytes ?? 0), forNothing?.bytes);
  });
});
