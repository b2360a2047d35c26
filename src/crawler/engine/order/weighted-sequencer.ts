import type { EpochMs } from "../../../core/index.ts";
import type { Sequencer } from "./sequencer.ts";

/** A part of a {@link WeightedSequencer}. */
export interface WeightedPart<Item> {
  readonly sequencer: Sequencer<Item>;
  /** Its share of the turns is its weight divided by those of all parts that have an item to give; above 0. */
  readonly weight: number;
}

interface Part<Item> extends WeightedPart<Item> {
  /** Turns that it has had, each divided by its weight; the part of the least is next. */
  pass: number;
  isBehind: boolean;
}

/**
 * Chooses among parts by their weights. Edwards et al. throw dice; this one counts, so that the shares hold in the short
 * run too: while the same parts have items to give, none is more than one turn away from its share to any other,
 * measured in turns of the lighter. A part that had nothing to give does not make up for it. O(parts).
 */
export class WeightedSequencer<Item> implements Sequencer<Item> {
  readonly #parts: readonly Part<Item>[];
  readonly #partOf: (item: Item) => number;
  /** The pass of the last turn. */
  #pass = 0;

  /**
   * @param partOf - the place in `parts` of the part that an item belongs to
   * @throws RangeError if a weight is not above 0 and finite
   */
  constructor(parts: readonly WeightedPart<Item>[], partOf: (item: Item) => number) {
    for (const { weight } of parts) {
      if (!(weight > 0 && Number.isFinite(weight))) throw new RangeError(`not a weight: ${weight}`);
    }
    this.#parts = parts.map(({ sequencer, weight }) => ({ sequencer, weight, pass: 0, isBehind: true }));
    this.#partOf = partOf;
  }

  get backlog(): number {
    return this.#parts.reduce((sum, { sequencer }) => sum + sequencer.backlog, 0);
  }

  readyAt(now: EpochMs): EpochMs {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#parts.map(({ sequencer }) => sequencer.readyAt(now)));
  }

  next(now: EpochMs): Item | undefined {
    let first: Part<Item> | undefined;
    for (const part of this.#parts) {
      if (part.sequencer.readyAt(now) > now) {
        part.isBehind = true;
        continue;
      }
      // As if it had come just now: half a turn ahead, so that the heavier of two newcomers goes first.
      if (part.isBehind) part.pass = Math.max(part.pass, this.#pass + 0.5 / part.weight);
      part.isBehind = false;
      if (first === undefined || part.pass < first.pass) first = part;
    }
    const item = first?.sequencer.next(now);
    if (first === undefined || item === undefined) return undefined;
    this.#pass = first.pass;
    first.pass += 1 / first.weight;
    return item;
  }

  add(item: Item): void {
    const at = this.#partOf(item);
    const part = this.#parts[at];
    if (part === undefined) throw new RangeError(`there is no part ${at}`);
    part.sequencer.add(item);
  }
}
