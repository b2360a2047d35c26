import type { EpochMs } from "../../../core/index.ts";

/**
 * Where items, mostly URLs, wait for their turn. Some hold items themselves, others combine sequencers; since both are
 * sequencers, they nest as deeply as a policy needs.
 *
 * Times that are passed in do not run backwards.
 *
 * @see J. Edwards, K. McCurley, J. Tomlin, An Adaptive Model for Optimizing Performance of an Incremental Web Crawler,
 *   section 3
 */
export interface Sequencer<Item> {
  /** How many items wait, those too whose time has not come. */
  readonly backlog: number;
  /** When {@link next} gives an item: `now` or earlier if it does so now, Infinity if something must happen first. */
  readyAt(now: EpochMs): EpochMs;
  /** Takes out the item whose turn it is; undefined if none may be given now. */
  next(now: EpochMs): Item | undefined;
  /** Puts an item in. */
  add(item: Item): void;
}

/** {@link Sequencer.readyAt} of what has no times of its own. */
export function readyIfAny(backlog: number, now: EpochMs): EpochMs {
  return backlog > 0 ? now : Number.POSITIVE_INFINITY;
}
