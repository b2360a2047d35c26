import { type ChangeHistory, noHistory, type Observation, observe } from "./change-rate.ts";
import { gridSize, type LastPoll, likelihoodsOf, packEvidence } from "./rate-grid.ts";

/** What was seen of a page fades by so much a second even where rates stay: in some three years to a third. */
const leastFade = 1 / (1000 * 86_400);

/**
 * Adds a poll to a history, and to what it says of each rate of the grid: exactly, where the sums of {@link observe} are near. What was
 * seen before fades, by the time between and the more the oftener rates of the site become others.
 *
 * @param hazardPerSecond - how often rates become others, by `meanHazard`
 */
export function observeRate(history: ChangeHistory, observation: Observation, hazardPerSecond: number): ChangeHistory {
  const after = observe(history, observation);
  if (after === history) return history;
  const { datedChanges, quietSeconds } = observe({ ...noHistory, falseDates: history.falseDates }, observation);
  const last: LastPoll = {
    intervalSeconds: Math.min(observation.intervalSeconds, 36_500 * 86_400),
    changed: observation.changed,
    ...(datedChanges > 0 && { quietSeconds }),
  };
  const logs = likelihoodsOf(history, new Float64Array(gridSize));
  const keep = Math.exp(-(leastFade + hazardPerSecond) * last.intervalSeconds);
  return {
    ...after,
    evidence: packEvidence(
      last,
      logs.map((log) => log * keep),
    ),
  };
}
