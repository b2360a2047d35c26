import { type CycleFacts, createCycle } from "./cycle-model.ts";
import type { CyclePlan } from "./cycle-plan.ts";

/** What a plan comes to when it is followed from the facts alone. */
export interface CycleCheck {
  /** The most by which any of the paper's constraints 1 to 6 is broken, beside what it is about; 0 or next to it. */
  readonly violation: number;
  readonly objective: number;
}

/**
 * Follows what a plan fetches (x, z) through the paper's constraints 1 to 6, and believes nothing else that it says.
 *
 * @see J. Edwards, K. McCurley, J. Tomlin, "An Adaptive Model for Optimizing Performance of an Incremental Web Crawler",
 * WWW10, 2001, section 4
 */
export function checkCycle(facts: CycleFacts, { course }: CyclePlan): CycleCheck {
  const model = createCycle(facts);
  const { periods, buckets } = model;
  const at = (values: Float64Array, place: number): number => values[place] ?? Number.NaN;
  let violation = 0;
  let objective = 0;
  const expect = (excess: number, scale: number): void => {
    const part = excess / Math.max(1, scale);
    // Of what is no number nothing holds.
    if (!(part <= violation)) violation = Number.isNaN(part) ? Number.POSITIVE_INFINITY : part;
  };
  const expectEqual = (one: number, other: number, scale: number): void => expect(Math.abs(one - other), scale);
  let waiting = model.waiting;
  const held = model.pages.slice();
  const obsolete = model.obsolete.slice();
  for (let t = 0; t < periods; t++) {
    const z = at(course.fetchedNew, t);
    expect(Math.max(-z, z - waiting), waiting);
    let use = at(model.newCost, t) * z;
    let found = at(model.newFinds, t) * z + at(model.arrivals, t);
    for (let i = 0; i < buckets; i++) {
      const k = i * periods + t;
      const x = at(course.fetched, k);
      const b = at(held, i);
      expect(Math.max(-x, x - b), b);
      use += at(model.oldCost, k) * x;
      found += at(model.oldFinds, k) * x;
      const a = at(model.changed, k);
      obsolete[i] = (b > 0 ? 1 - x / b : 1) * ((1 - a) * at(obsolete, i) + a * b);
      held[i] = b + at(model.shares, i) * z;
      expectEqual(at(obsolete, i), at(course.obsolete, k), b);
      expectEqual(at(held, i), at(course.held, k), b);
      objective += at(model.oldWeight, k) * at(obsolete, i);
    }
    const capacity = at(model.capacity, t);
    expect(use - capacity, capacity);
    waiting += found - z;
    expectEqual(waiting, at(course.waiting, t), waiting);
    objective += at(model.newWeight, t) * waiting;
  }
  expectEqual(course.objective, objective, objective);
  return { violation, objective };
}
