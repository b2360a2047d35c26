import type { Random } from "../../src/core/random.ts";
import type { HistoryEvent } from "../experiment/ports.ts";
import { gatherWeb, type LeagueWeb } from "./league-web.ts";

interface LivePage {
  readonly bornAt: number;
  readonly changes: number[];
}

/**
 * The pages of a history's last days, those that are deleted in them left out: what becomes of a page that is gone is the
 * same for all planners. A history that is shorter is taken from its first event on.
 *
 * @param share - which share of the pages is taken, by chance, from 0 to 1
 */
export function takeHistoryWeb(
  events: readonly HistoryEvent[],
  seconds: number,
  share: number,
  random: Random,
): LeagueWeb {
  const until = (events.at(-1)?.time ?? 0) + 1;
  const from = until - seconds;
  const live = new Map<string, LivePage>();
  for (const { time, path, sizeBytes } of events) {
    const page = live.get(path);
    const at = time - from;
    if (sizeBytes === undefined) live.delete(path);
    else if (page === undefined) live.set(path, { bornAt: Math.max(0, at), changes: [] });
    else if (at > 0 && at > (page.changes.at(-1) ?? page.bornAt)) page.changes.push(at);
  }
  const taken = [...live.values()].filter(() => random() < share).sort((a, b) => a.bornAt - b.bornAt);
  const rates = taken.map(({ bornAt, changes }) => changes.length / Math.max(1, seconds - bornAt));
  return gatherWeb(
    Float64Array.from(taken, ({ bornAt }) => bornAt),
    taken.map(({ changes }) => changes),
    Float64Array.from(rates),
  );
}
