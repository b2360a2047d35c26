import type { Random } from "../../src/core/random.ts";
import { planOptimum } from "../../src/crawler/engine/revisit/optimum.ts";
import { expectedFreshness } from "../../src/crawler/engine/revisit/poll-index.ts";
import { daySeconds } from "../brandman/history-days.ts";
import type { HistoryEvent } from "../experiment/ports.ts";
import { makeArticleWeb, makeDriftingWeb, makeParetoWeb, makePeriodicWeb, makeReshuffledWeb } from "./changing-webs.ts";
import { takeHistoryWeb } from "./history-web.ts";
import type { LeagueWeb } from "./league-web.ts";
import { addSignals, makeBurstyWeb, makePoissonWeb, makeWorkingWeb } from "./made-webs.ts";

/** What a scene is made from. */
export interface SceneSize {
  readonly pages: number;
  readonly seconds: number;
  /** The changes of the scene's history, where it has one. */
  readonly events: readonly HistoryEvent[];
}

/** Something that may happen to a crawler. */
export interface Scene {
  readonly title: string;
  readonly make: (size: SceneSize, random: Random) => LeagueWeb;
  /** By which the budget is multiplied, by the share of the time that has passed. Default 1. */
  readonly budget?: (share: number) => number;
}

const noisy = { recall: 0.6, falsePerDay: 0.02, toldRecall: 0.6, toldFalsePerDay: 0.02 };
const lying = { recall: 0.3, falsePerDay: 0.1, toldRecall: 0.9, toldFalsePerDay: 0.001 };

const makeHistoryWeb: Scene["make"] = ({ pages, seconds, events }, random) => {
  const all = takeHistoryWeb(events, seconds, 1, random).bornAt.length;
  return takeHistoryWeb(events, seconds, Math.min(0.8, pages / Math.max(1, all)), random);
};

/** The scenes by their names; `history` stands for each history that is given. */
export const scenes: Readonly<Record<string, Scene>> = {
  poisson: {
    title: "changes at random, five bars",
    make: ({ pages, seconds }, random) => makePoissonWeb(pages, seconds, random),
  },
  bursty: {
    title: "changes in bursts",
    make: ({ pages, seconds }, random) => makeBurstyWeb(pages, seconds, random),
  },
  working: {
    title: "changes in working hours",
    make: ({ pages, seconds }, random) => makeWorkingWeb(pages, seconds, random),
  },
  noisy: {
    title: "signals of six changes in ten, some false",
    make: ({ pages, seconds }, random) => addSignals(makePoissonWeb(pages, seconds, random), noisy, seconds, random),
  },
  lying: {
    title: "signals that are said to be sure and are not",
    make: ({ pages, seconds }, random) => addSignals(makePoissonWeb(pages, seconds, random), lying, seconds, random),
  },
  budget: {
    title: "a budget three times as large in the last quarter",
    make: ({ pages, seconds }, random) => makePoissonWeb(pages, seconds, random),
    budget: (share) => (share < 0.75 ? 1 : 3),
  },
  drift: {
    title: "rates that drift",
    make: ({ pages, seconds }, random) => makeDriftingWeb(pages, seconds, random),
  },
  reshuffled: {
    title: "rates that are dealt anew three times",
    make: ({ pages, seconds }, random) => makeReshuffledWeb(pages, seconds, random),
  },
  articles: {
    title: "articles that are busy for weeks and then quiet",
    make: ({ pages, seconds }, random) => makeArticleWeb(pages, seconds, random),
  },
  pareto: {
    title: "heavy-tailed intervals",
    make: ({ pages, seconds }, random) => makeParetoWeb(pages, seconds, random),
  },
  periodic: {
    title: "changes at equal intervals",
    make: ({ pages, seconds }, random) => makePeriodicWeb(pages, seconds, random),
  },
  history: { title: "a history", make: makeHistoryWeb },
};

/** How a scene's time is spent. */
export interface SceneTime {
  readonly seconds: number;
  readonly countFromSeconds: number;
  readonly budgetAt: (seconds: number) => number;
}

/** How fresh pages are at best if each is visited at equal intervals, its mean rate is known and it changes at random. */
export function bestFreshness({ ratesPerSecond, bornAt }: LeagueWeb, time: SceneTime): number {
  const ones = new Float64Array(ratesPerSecond.length).fill(1);
  let [fresh, total] = [0, 0];
  for (let part = 0; part < 4; part++) {
    const from = time.countFromSeconds + ((time.seconds - time.countFromSeconds) * part) / 4;
    const { pollsPerSecond } = planOptimum(ratesPerSecond, ones, time.budgetAt(from + 1));
    for (let page = 0; page < bornAt.length; page++) {
      if ((bornAt[page] ?? 0) > from) continue;
      fresh += expectedFreshness(ratesPerSecond[page] ?? 0, pollsPerSecond[page] ?? 0);
      total += 1;
    }
  }
  return fresh / total;
}

/** A budget of a visit a page and `everyDays` days, in visits a second, as the scene has it. */
export function timeOf(scene: Scene, web: LeagueWeb, seconds: number, everyDays: number): SceneTime {
  const budget = web.bornAt.length / (everyDays * daySeconds);
  return {
    seconds,
    countFromSeconds: seconds / 2,
    budgetAt: (at) => budget * (scene.budget?.(at / seconds) ?? 1),
  };
}
