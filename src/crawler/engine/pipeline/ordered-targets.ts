import type { TargetChoice, TrackedUrl } from "../../../core/index.ts";
import type { TargetVisit } from "../discovery/target-visit.ts";
import type { TargetBatch } from "./target-batch.ts";

/** So many pages are asked for before it is looked again which are next. */
const atATime = 100;

/**
 * New targets in an order that changes while they are asked for: what was learned from the pages that came is durable before it is
 * looked which are next, and nobody waits for those that have not come yet.
 */
export class OrderedTargets {
  readonly #visit: TargetVisit;
  readonly #batch: TargetBatch;
  readonly #choice: TargetChoice;
  readonly #underWay = new Set<number>();
  /** Ended since it was looked which are next. */
  #ended = new Set<number>();
  /** Ended without a result: they stay new. */
  readonly #passedOver = new Set<number>();
  #next: TrackedUrl[] = [];
  #looking: Promise<void> | undefined;
  /** Wakes those who wait for what is under way. */
  #wake: (() => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(visit: TargetVisit, batch: TargetBatch, choice: "ranked" | "random") {
    this.#visit = visit;
    this.#batch = batch;
    this.#choice = choice;
  }

  /**
   * Gives the target that is next, which is under way until it is {@link end}ed. What is under way may lead to others: it is waited for.
   *
   * @returns undefined if nothing is left
   */
  async next(): Promise<TrackedUrl | undefined> {
    while (this.#next.length === 0) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
      if (this.#next.length > 0) break;
      if (this.#underWay.size === 0) return undefined;
      this.#ending ??= new Promise((resolve) => {
        this.#wake = resolve;
      });
      await this.#ending;
    }
    const target = this.#next.shift();
    if (target !== undefined) this.#underWay.add(target.id);
    return target;
  }

  /** Its result was added to the batch, or it was passed over; it is not given again. */
  end({ id }: TrackedUrl): void {
    this.#underWay.delete(id);
    this.#ended.add(id);
    this.#wake?.();
    this.#wake = undefined;
    this.#ending = undefined;
  }

  async #look(): Promise<void> {
    // Others add results meanwhile; what is in the batch is still new to the store.
    do await this.#batch.finish();
    while (!this.#batch.isEmpty);
    this.#next = this.#take(this.#choice);
    // What no page leads to comes in the order in which it was found.
    if (this.#next.length === 0) this.#next = this.#take("new");
    this.#ended = new Set();
  }

  #take(choice: TargetChoice): TrackedUrl[] {
    const { targets } = this.#visit.ports;
    const limit = atATime + this.#underWay.size + this.#ended.size + this.#passedOver.size;
    const taken = targets.take(choice, this.#visit.since, 0, limit);
    for (const { id } of taken) if (this.#ended.has(id)) this.#passedOver.add(id);
    return taken.filter(({ id }) => !this.#underWay.has(id) && !this.#passedOver.has(id)).slice(0, atATime);
  }
}
