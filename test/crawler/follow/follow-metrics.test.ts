import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FollowMetrics } from "../../../src/crawler/follow/follow-metrics.ts";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";

const now = 1_800_000_000_000;
const siteOf = (number: number): string => `https://${number}.example`;

/** An agenda of sites that are due, the first of them under way, and its board. */
function makeBoard(sites: number): { agenda: SiteScheduler; board: FollowMetrics } {
  const agenda = new SiteScheduler();
  const board = new FollowMetrics(agenda, () => now, 16);
  for (let number = 0; number < sites; number++) agenda.add(siteOf(number), now - 1000 + number);
  board.begin(agenda.next(now) ?? "");
  return { agenda, board };
}

describe("FollowMetrics", () => {
  it("counts each site once: as under way, paused or waiting", () => {
    const { agenda, board } = makeBoard(14);
    const counts = (): number[] => {
      const { sites, underWay, waiting, due, paused, pausedSites } = board.status();
      return [sites, underWay, waiting, due, paused, pausedSites.length];
    };
    assert.deepEqual(counts(), [14, 1, 13, 13, 0, 0]);
    agenda.setPaused(siteOf(0), true);
    agenda.setPaused(siteOf(1), true);
    assert.deepEqual(counts(), [14, 1, 12, 12, 1, 1]);
    agenda.remove(siteOf(0));
    assert.deepEqual(counts(), [13, 0, 12, 12, 1, 1]);
    agenda.add(siteOf(0), now + 1000);
    assert.deepEqual(counts(), [14, 1, 12, 12, 1, 1]);
  });

  it("tells that a site in trouble is paused", () => {
    const { agenda, board } = makeBoard(2);
    board.enter(siteOf(1), 3);
    agenda.setPaused(siteOf(1), true);
    const { troubled, backOff } = board.status();
    assert.deepEqual(troubled, [{ site: siteOf(1), failures: 3, message: "", nextMs: now - 999, isPaused: true }]);
    assert.equal(backOff, 0);
  });
});
