import { type Random, shuffle } from "../../src/core/random.ts";
import { daySeconds } from "../brandman/history-days.ts";
import { gatherWeb, type LeagueWeb } from "./league-web.ts";
import { drawInstants, fiveBarRates } from "./made-webs.ts";

/** A time in which a page changes at one rate. */
interface RateSpan {
  readonly untilSeconds: number;
  /** Changes a second. */
  readonly rate: number;
}

/** Pages that change at random (Poisson), each at one rate after the other from its birth on. */
function makeSpannedWeb(
  bornAt: Float64Array,
  spansOf: (page: number) => readonly RateSpan[],
  random: Random,
): LeagueWeb {
  const rates = new Float64Array(bornAt.length);
  const changesOf = Array.from(bornAt, (born, page) => {
    const changes: number[] = [];
    let from = born;
    let expected = 0;
    for (const { untilSeconds, rate } of spansOf(page)) {
      for (const at of drawInstants(rate, untilSeconds - from, random)) changes.push(from + at);
      expected += rate * (untilSeconds - from);
      from = untilSeconds;
    }
    rates[page] = expected / Math.max(1, from - born);
    return changes;
  });
  return gatherWeb(bornAt, changesOf, rates);
}

const dealtAnew = 4;

/** Pages of the five bars whose rates are dealt anew among them after each quarter of the time. */
export function makeReshuffledWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  const deals = Array.from({ length: dealtAnew }, () => {
    const rates = fiveBarRates(pages);
    shuffle(rates, random);
    return rates;
  });
  const spansOf = (page: number): RateSpan[] =>
    deals.map((rates, at) => ({ untilSeconds: (seconds * (at + 1)) / dealtAnew, rate: rates[page] ?? 0 }));
  return makeSpannedWeb(new Float64Array(pages), spansOf, random);
}

const driftSeconds = 30 * daySeconds;
/** By which the logarithm of a rate moves up or down in a month. */
const drift = 0.5;
const slowest = 1 / (365 * daySeconds);
const fastest = 1 / daySeconds;

/** Pages of the five bars whose rates drift: by a factor of 1.65 up or down a month, between once a day and once a year. */
export function makeDriftingWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  const first = fiveBarRates(pages);
  const spansOf = (page: number): RateSpan[] => {
    const spans: RateSpan[] = [];
    let rate = first[page] ?? 0;
    for (let from = 0; from < seconds; from += driftSeconds) {
      spans.push({ untilSeconds: Math.min(seconds, from + driftSeconds), rate });
      rate = Math.min(fastest, Math.max(slowest, rate * Math.exp(random() < 0.5 ? drift : -drift)));
    }
    return spans;
  };
  return makeSpannedWeb(new Float64Array(pages), spansOf, random);
}

/** An article is worked on for two to six weeks. */
const busySeconds = [14 * daySeconds, 42 * daySeconds] as const;

/**
 * Articles: each changes once a day while it is worked on, and once a year from then on. Half of them are older than the web's beginning; the
 * others are written at any time of it.
 */
export function makeArticleWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  const writtenAt = Float64Array.from({ length: pages }, () => (2 * random() - 1) * seconds).sort();
  const bornAt = writtenAt.map((at) => Math.max(0, at));
  const spansOf = (page: number): RateSpan[] => {
    const [least, most] = busySeconds;
    const quietAt = (writtenAt[page] ?? 0) + least + random() * (most - least);
    const busy = { untilSeconds: Math.min(seconds, quietAt), rate: fastest };
    const quiet = { untilSeconds: seconds, rate: slowest };
    return [...(quietAt > (bornAt[page] ?? 0) ? [busy] : []), ...(quietAt < seconds ? [quiet] : [])];
  };
  return makeSpannedWeb(bornAt, spansOf, random);
}

/** Pages of the five bars that change after intervals that a draw gives by their mean; the web begins after a time as long. */
function makeRenewedWeb(
  pages: number,
  seconds: number,
  draw: (meanSeconds: number) => number,
  random: Random,
): LeagueWeb {
  const rates = fiveBarRates(pages);
  const changesOf = Array.from(rates, (rate) => {
    const changes: number[] = [];
    for (let at = -seconds * random() - seconds; at < seconds; at += draw(1 / rate)) if (at > 0) changes.push(at);
    return changes;
  });
  return gatherWeb(new Float64Array(pages), changesOf, rates);
}

/** Of Pareto's distribution: its mean is there and its variance is not. */
const tail = 1.5;

/** Pages of the five bars as often, whose intervals are heavy-tailed (Pareto, exponent 1.5): many short ones, and a few very long. */
export function makeParetoWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  const draw = (mean: number): number => (mean * (1 - 1 / tail)) / (1 - random()) ** (1 / tail);
  return makeRenewedWeb(pages, seconds, draw, random);
}

/** Pages of the five bars that change at equal intervals. */
export function makePeriodicWeb(pages: number, seconds: number, random: Random): LeagueWeb {
  return makeRenewedWeb(pages, seconds, (mean) => mean, random);
}
