import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeHistory } from "../../../lab/brandman/made-history.ts";
import type { PollPlannerName } from "../../../src/crawler/engine/revisit/poll-planners.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type PollingResult, pollSites } from "../polled-sites.ts";

const size = { seed: 3, sites: 2, days: 60, burnInDays: 20, pages: 30, budget: 0.1 };
const events = makeHistory(200, 100, 5);

async function poll(planner: PollPlannerName): Promise<PollingResult> {
  using temp = makeTempFolder();
  return await pollSites({ ...size, options: { planner } }, events, temp.path);
}

describe("sites that are polled in virtual time", () => {
  it("are fresher by the crawler's own plan than by round robin, for as many requests", async () => {
    const [own, round] = [await poll("default"), await poll("round-robin")];
    const meanOf = ({ freshness }: PollingResult): number =>
      freshness.reduce((total, value) => total + value, 0) / freshness.length;
    assert.ok(meanOf(own) > meanOf(round), `${meanOf(own)} and ${meanOf(round)}`);
    assert.ok(own.pageRequests <= round.pageRequests, `${own.pageRequests} and ${round.pageRequests}`);
  });

  it("are visited when the first interval of a page is over, by rules of intervals", async () => {
    const visitsBy = async (planner: PollPlannerName): Promise<number> => {
      using temp = makeTempFolder();
      const options = { planner, budget: 100, minIntervalMs: 3_600_000, maxIntervalMs: 60 * 86_400_000 };
      return (await pollSites({ ...size, sites: 1, pages: 3, options }, makeHistory(3, 400, 5), temp.path)).visits;
    };
    const [nutch, storm] = [await visitsBy("nutch"), await visitsBy("stormcrawler")];
    // After 30 days, and not sooner than 24 days later; a day, and at most half as long again each time.
    assert.ok(nutch >= 2 && nutch <= 4, `${nutch} visits by nutch`);
    assert.ok(storm >= 8, `${storm} visits by stormcrawler`);
  });
});
