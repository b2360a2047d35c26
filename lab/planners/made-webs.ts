import type { Random } from "../../src/core/random.ts";
import { daySeconds } from "../brandman/history-days.ts";
import { gatherWeb, type LeagueWeb } from "./league-web.ts";

/** Mean days between changes and the share of pages, of the histogram of Cho and Garcia-Molina at its bars' ends. */
export const fiveBars: ReadonlyArray<readonly [days: number, share: number]> = [
  [1, 0.23],
  [7, 0.15],
  [30, 0.16],
  [120, 0.16],
  [365, 0.3],
];

/** Rates of pages by the five bars, in changes a second; the bars' shares are exact to a page. */
export function fiveBarRates(pages: number): Float64Array {
  const rates = new Float64Array(pages);
  let at = 0;
  let share = 0;
  for (const [days, part] of fiveBars) {
    share += part;
    for (; at < Math.round(share * pages); at++) rates[at] = 1 / (days * daySeconds);
  }
  return rates;
}

const exponential = (random: Random, rate: number): number => -Math.log1p(-random()) / rate;

/** Instants of a Poisson process in a span from 0, ascending. */
export function drawInstants(rate: number, seconds: number, random: Random): number[] {
  const found: number[] = [];
  if (!(rate > 0)) return found;
  for (let at = exponential(random, rate); at < seconds; at += exponential(random, rate)) found.push(at);
  return found;
}

function makeWeb(pages: number, changesOf: (rate: number) => number[]): LeagueWeb {
  const rates = fiveBarRates(pages);
  return gatherWeb(
    new Float64Array(pages),
    Array.from(rates, (rate) => changesOf(rate)),
    rates,
  );
}

/** Pages of the five bars that change at random (Poisson). */
export function makePoissonWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  return makeWeb(pages, (rate) => drawInstants(rate, seconds, random));
}

const changesOfBurst = 5;
/** Mean time between the changes of a burst. */
const burstGapSeconds = 2 * 3600;

/** Pages of the five bars as often, whose changes come in bursts: five on average, two hours apart, bursts at random. */
export function makeBurstyWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  return makeWeb(pages, (rate) =>
    drawInstants(rate / changesOfBurst, seconds, random)
      .flatMap((start) => {
        const own = [start];
        while (random() < 1 - 1 / changesOfBurst)
          own.push((own.at(-1) ?? 0) + exponential(random, 1 / burstGapSeconds));
        return own;
      })
      .filter((at) => at < seconds)
      .sort((a, b) => a - b),
  );
}

const workSeconds = 8 * 3600;
const workFrom = 9 * 3600;

/** The instant at which so much working time has passed: nine to five on five days of seven. */
function instantOfWork(worked: number): number {
  const day = Math.floor(worked / workSeconds);
  return (Math.floor(day / 5) * 7 + (day % 5)) * daySeconds + workFrom + (worked - day * workSeconds);
}

/** Pages of the five bars as often, which change at random in working hours and at no other time. */
export function makeWorkingWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  const share = (5 * workSeconds) / (7 * daySeconds);
  return makeWeb(pages, (rate) =>
    drawInstants(rate / share, (seconds + 7 * daySeconds) * share, random)
      .map(instantOfWork)
      .filter((at) => at < seconds),
  );
}

/** What signals say, and what they are said to say. */
export interface SignalShape {
  /** Share of the changes that are signalled, and signals a day that stand for none. */
  readonly recall: number;
  readonly falsePerDay: number;
  /** What planners are told of both. */
  readonly toldRecall: number;
  readonly toldFalsePerDay: number;
}

/** Gives a web's pages signals. */
export function addSignals(web: LeagueWeb, shape: SignalShape, seconds: number, random: Random): LeagueWeb {
  const pages = web.bornAt.length;
  const found: { readonly page: number; readonly at: number }[] = [];
  for (let page = 0; page < pages; page++) {
    for (const at of web.changes.subarray(web.starts[page], web.starts[page + 1])) {
      if (random() < shape.recall) found.push({ page, at });
    }
    for (const at of drawInstants(shape.falsePerDay / daySeconds, seconds, random)) found.push({ page, at });
  }
  found.sort((a, b) => a.at - b.at || a.page - b.page);
  return {
    ...web,
    signals: {
      told: {
        recalls: new Float64Array(pages).fill(shape.toldRecall),
        falsePerSecond: new Float64Array(pages).fill(shape.toldFalsePerDay / daySeconds),
      },
      pages: Uint32Array.from(found, ({ page }) => page),
      atSeconds: Float64Array.from(found, ({ at }) => at),
    },
  };
}
