import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeHistory } from "../../src/lab/made-history.ts";
import type { PollPlannerName } from "../../src/revisit/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type PollingResult, pollSites } from "./polled-sites.ts";

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
});
