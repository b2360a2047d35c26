import type { CycleDual } from "./cycle-dual.ts";

const mostSteps = 60;

/** Inverse of the curvature, updated step by step; dense, for T is small. */
class Curvature {
  readonly #size: number;
  readonly #rows: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#rows = new Float64Array(size * size);
    this.reset(1);
  }

  reset(scale: number): void {
    this.#rows.fill(0);
    for (let t = 0; t < this.#size; t++) this.#rows[t * this.#size + t] = scale;
  }

  /** The way to go, among the coordinates that are free. */
  multiply(gradient: Float64Array, isFree: Uint8Array, into: Float64Array): void {
    for (let t = 0; t < this.#size; t++) {
      let sum = 0;
      for (let k = 0; k < this.#size; k++)
        if (isFree[k]) sum += (this.#rows[t * this.#size + k] ?? 0) * (gradient[k] ?? 0);
      into[t] = isFree[t] ? sum : 0;
    }
  }

  /** @param step - how far it went @param fall - by how much the gradient of a concave function fell */
  update(step: Float64Array, fall: Float64Array): void {
    const size = this.#size;
    const rows = this.#rows;
    let curvature = 0;
    let norm = 0;
    for (let t = 0; t < size; t++) {
      curvature += (step[t] ?? 0) * (fall[t] ?? 0);
      norm += (fall[t] ?? 0) ** 2;
    }
    if (!(curvature > 1e-14 * norm)) return;
    const turned = new Float64Array(size);
    let inner = 0;
    for (let t = 0; t < size; t++) {
      for (let k = 0; k < size; k++) turned[t] = (turned[t] ?? 0) + (rows[t * size + k] ?? 0) * (fall[k] ?? 0);
      inner += (turned[t] ?? 0) * (fall[t] ?? 0);
    }
    const weight = (1 + inner / curvature) / curvature;
    for (let t = 0; t < size; t++) {
      const [a, b] = [step[t] ?? 0, turned[t] ?? 0];
      for (let k = 0; k < size; k++) {
        const [c, d] = [step[k] ?? 0, turned[k] ?? 0];
        rows[t * size + k] = (rows[t * size + k] ?? 0) + weight * a * c - (a * d + b * c) / curvature;
      }
    }
  }
}

/** How long an ascent goes on. */
export interface Effort {
  /** What a step has to gain, of the whole. */
  readonly leastGain: number;
  /** Steps that gain less, one after the other, after which it ends. */
  readonly patience: number;
}

/**
 * Ascends the dual smoothed by a temperature, by the method of Broyden, Fletcher, Goldfarb and Shanno, to prices at which
 * it is all but the highest.
 *
 * @param prices - of one unit of each period's capacity, `[t - 1]`; it moves them
 * @param temperature - in the unit of weights, above 0
 * @returns evaluations of the dual that it took
 */
export function ascendPrices(
  dual: CycleDual,
  prices: Float64Array,
  temperature: number,
  { leastGain, patience }: Effort,
): number {
  const size = prices.length;
  const { capacity, unit } = dual.model;
  const scale = capacity.reduce((sum, value) => sum + value, 0) / size;
  const gradient = new Float64Array(size);
  const way = new Float64Array(size);
  const step = new Float64Array(size);
  const fall = new Float64Array(size);
  const isFree = new Uint8Array(size);
  const tried = new Float64Array(size);
  const curvature = new Curvature(size);
  let evaluations = 1;
  let value = dual.evaluate(prices, temperature) / scale;
  const take = (): void => {
    for (let t = 0; t < size; t++) gradient[t] = (dual.excess[t] ?? 0) / scale;
  };
  take();
  curvature.reset(unit / 50);
  let idle = 0;
  for (let round = 0; round < mostSteps && idle < patience; round++) {
    for (let t = 0; t < size; t++) isFree[t] = (prices[t] ?? 0) > 0 || (gradient[t] ?? 0) > 0 ? 1 : 0;
    curvature.multiply(gradient, isFree, way);
    let length = 1;
    let next = Number.NEGATIVE_INFINITY;
    for (let trial = 0; trial < 25; trial++) {
      let promised = 0;
      for (let t = 0; t < size; t++) {
        tried[t] = Math.max(0, (prices[t] ?? 0) + length * (way[t] ?? 0));
        promised += ((tried[t] ?? 0) - (prices[t] ?? 0)) * (gradient[t] ?? 0);
      }
      evaluations += 1;
      next = dual.evaluate(tried, temperature) / scale;
      if (next >= value + 1e-4 * promised && promised >= 0) break;
      length *= 0.4;
      next = Number.NEGATIVE_INFINITY;
    }
    if (next === Number.NEGATIVE_INFINITY) {
      idle += 1;
      curvature.reset(unit / 50 / 10 ** idle);
      continue;
    }
    for (let t = 0; t < size; t++) {
      step[t] = (tried[t] ?? 0) - (prices[t] ?? 0);
      fall[t] = (gradient[t] ?? 0) - (dual.excess[t] ?? 0) / scale;
      prices[t] = tried[t] ?? 0;
    }
    take();
    curvature.update(step, fall);
    idle = next - value <= leastGain * Math.abs(next) ? idle + 1 : 0;
    value = next;
  }
  return evaluations;
}
