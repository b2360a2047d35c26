import type { Random } from "../../src/core/random.ts";
import { effectiveSeconds, type SignalledPage } from "../planners/signalled-index.ts";

/** Means over the cycles of a page, from poll to poll. */
export interface SimulatedCycle {
  readonly cycleSeconds: number;
  readonly freshSeconds: number;
  /** Standard errors of both. */
  readonly cycleError: number;
  readonly freshError: number;
}

/**
 * Lives through cycles of a page: it changes, some changes send a signal, some signals stand for none, and it is polled as
 * soon as its effective time reaches a bound.
 *
 * @param bound - in seconds of effective time
 */
export function simulateCycles(page: SignalledPage, bound: number, cycles: number, random: Random): SimulatedCycle {
  const { ratePerSecond, recall, falsePerSecond } = page;
  const worth = effectiveSeconds(page, 0, 1);
  const wait = (rate: number): number => (rate > 0 ? -Math.log1p(-random()) / rate : Number.POSITIVE_INFINITY);
  const length = new Tally();
  const freshness = new Tally();
  for (let run = 0; run < cycles; run++) {
    let staleAt = Number.POSITIVE_INFINITY;
    let change = wait(ratePerSecond);
    let alarm = wait(falsePerSecond);
    let due = bound;
    let now = 0;
    while (now < due) {
      const next = Math.min(change, alarm, due);
      now = next;
      if (next === due) break;
      let isSignal = true;
      if (next === change) {
        staleAt = Math.min(staleAt, next);
        change = next + wait(ratePerSecond);
        isSignal = random() < recall;
      } else alarm = next + wait(falsePerSecond);
      // A signal that takes the page over its bound has it polled at once.
      if (isSignal) due = Math.max(now, due - worth);
    }
    length.add(now);
    freshness.add(Math.min(now, staleAt));
  }
  return {
    cycleSeconds: length.mean,
    cycleError: length.error,
    freshSeconds: freshness.mean,
    freshError: freshness.error,
  };
}

/** Adds numbers up. */
class Tally {
  #count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.#count += 1;
    this.#sum += value;
    this.#squares += value * value;
  }

  get mean(): number {
    return this.#sum / this.#count;
  }

  /** The standard error of the mean. */
  get error(): number {
    return Math.sqrt(Math.max(0, this.#squares / this.#count - this.mean ** 2) / this.#count);
  }
}
