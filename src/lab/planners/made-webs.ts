import { daySeconds } from "../history-days.ts";
import type { Random } from "../random.ts";
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

/** Pages of the five bars that change at random (Poisson). */
export function makePoissonWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  const rates = fiveBarRates(pages);
  const changes = Array.from(rates, (rate) => {
    const own: number[] = [];
    for (let at = exponential(random, rate); at < seconds; at += exponential(random, rate)) own.push(at);
    return own;
  });
  return gatherWeb(new Float64Array(pages), changes, rates);
}
