import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandom } from "../../../../src/core/random.ts";
import { noHistory, observe } from "../../../../src/crawler/engine/revisit/change-rate.ts";
import { gridRates, observeRate, weighRates } from "../../../../src/crawler/engine/revisit/rate-grid.ts";
import { defaultShares, HazardScores, meanHazard } from "../../../../src/crawler/engine/revisit/site-learning.ts";

const day = 86_400;
const meanOf = (shares: Float64Array): number =>
  shares.reduce((sum, share, at) => sum + share * (gridRates[at] ?? 0), 0);

test("beliefs fade: a page that was busy for long is soon believed to be quiet where rates become others", () => {
  const live = (hazardPerDay: number): number => {
    let history = noHistory;
    for (let poll = 0; poll < 40; poll++)
      history = observeRate(history, { intervalSeconds: 10 * day, changed: poll < 36 }, hazardPerDay / day);
    return meanOf(weighRates(history, defaultShares));
  };
  assert.ok(live(0.016) < 0.5 * live(0), `${live(0.016)} ${live(0)}`);
});

test("the evidence of a page says what its polls do, one by one", () => {
  const random = createRandom(7, "evidence");
  let history = noHistory;
  const logs = gridRates.map(() => 0);
  for (let poll = 0; poll < 30; poll++) {
    const intervalSeconds = day * (0.1 + 30 * random());
    const changed = random() < 0.5;
    history = observeRate(history, { intervalSeconds, changed }, 0);
    for (const [at, rate] of gridRates.entries()) {
      const fade = Math.exp(-intervalSeconds / (1000 * day));
      const log = changed ? Math.log(-Math.expm1(-rate * intervalSeconds)) : -rate * intervalSeconds;
      logs[at] = (logs[at] ?? 0) * fade + log;
    }
  }
  const most = Math.max(...logs);
  const weights = logs.map((log, at) => (defaultShares[at] ?? 0) * Math.exp(log - most));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  for (const [at, share] of weighRates(history, defaultShares).entries())
    assert.ok(Math.abs(share - (weights[at] ?? 0) / sum) < 0.03, `${at}: ${share} ${(weights[at] ?? 0) / sum}`);
});

test("a history of before there was evidence goes on from its sums; evidence that makes no sense is none", () => {
  const old = observe(noHistory, { intervalSeconds: 30 * day, changed: true });
  const once = meanOf(weighRates(old, defaultShares));
  const twice = observeRate(old, { intervalSeconds: 30 * day, changed: true }, 0);
  assert.ok(meanOf(weighRates(twice, defaultShares)) > once);
  for (const evidence of [[], [1], new Array(27).fill(Number.NaN), new Array(27).fill(-1)])
    assert.equal(meanOf(weighRates({ ...old, evidence }, defaultShares)), once);
});

test("that rates become others is learned from polls, and that they do not", () => {
  const learn = (isReshuffled: boolean): number => {
    const random = createRandom(3, "hazard");
    let scores = new HazardScores([], 60);
    const histories = new Array(60).fill(noHistory);
    const shares = defaultShares.map((_, at) => (at === 8 || at === 16 ? 0.5 : 0));
    for (let poll = 0; poll < 24; poll++) {
      for (let page = 0; page < 60; page++) {
        const isFast = (page % 2 === 0) !== (isReshuffled && poll >= 22);
        const changed = random() < -Math.expm1(-(gridRates[isFast ? 16 : 8] ?? 0) * 30 * day);
        histories[page] = observeRate(histories[page], { intervalSeconds: 30 * day, changed }, 0);
        scores.count(histories[page], shares);
      }
      scores = new HazardScores(scores.scores, 60);
    }
    return meanHazard(scores.scores) * day;
  };
  assert.ok(learn(false) < 0.001 && learn(true) > 0.008, `${learn(false)} ${learn(true)}`);
});
