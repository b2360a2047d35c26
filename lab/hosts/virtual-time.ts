import type { EpochMs } from "../../src/core/time.ts";
import { PrioritySequencer } from "../../src/crawler/engine/order/sequencer.ts";

/** Resolves once everything that can go on without time has gone as far as it can. */
export type Idle = () => Promise<void>;

/** Resolves once time may jump there. */
export type Reach = (at: EpochMs) => Promise<void>;

interface Wait {
  readonly at: EpochMs;
  readonly wake: () => void;
  /** Whether it was left before its time. */
  isOver: boolean;
}

/**
 * Time that passes only where everybody waits for it: then it jumps to the end of the first wait. What waits as long goes on in
 * the order in which it began to wait, so that a run depends on nothing outside.
 */
export class VirtualTime {
  readonly #idle: Idle;
  readonly #reach: Reach | undefined;
  readonly #waits = new PrioritySequencer<Wait>(({ at }) => at);
  #now: EpochMs;
  #isEnding = false;

  /**
   * @param idle - nothing may be under way then that is no wait of this clock, such as a read from a disk
   * @param reach - holds time back, as where it may not run ahead of that of the world. Default: it jumps
   */
  constructor(start: EpochMs, idle: Idle, reach?: Reach) {
    this.#now = start;
    this.#idle = idle;
    this.#reach = reach;
  }

  readonly now = (): EpochMs => this.#now;

  /** Resolves after so many milliseconds, at once if there are none, or once the signal is aborted. */
  readonly delay = (delayMs: number, signal: AbortSignal | undefined): Promise<void> => {
    if (!(delayMs > 0) || signal?.aborted === true) return Promise.resolve();
    // What is less than a millisecond would never pass where the clock tells whole ones.
    const at = this.#now + Math.ceil(delayMs);
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const wait: Wait = { at, wake, isOver: false };
      this.#waits.add(wait);
      const leave = (): void => {
        wait.isOver = true;
        resolve();
      };
      signal?.addEventListener("abort", leave, { once: true });
    });
  };

  /** Lets time pass until `until`, or until it is ended. Nothing happens if nobody waits. */
  async run(until: EpochMs): Promise<void> {
    for (;;) {
      await this.#idle();
      const wait = this.#isEnding ? undefined : this.#nextWait(until);
      if (wait === undefined) break;
      await this.#reach?.(wait.at);
      this.#now = wait.at;
      wait.wake();
    }
    if (!this.#isEnding) this.#now = Math.max(this.#now, until);
  }

  /** Takes out the first wait that ends until then; those that were left go with it. */
  #nextWait(until: EpochMs): Wait | undefined {
    while (this.#waits.firstKey <= until) {
      const wait = this.#waits.next();
      if (wait?.isOver === false) return wait;
    }
    return undefined;
  }

  /** Ends the passing of time after the next moment of idleness. */
  end(): void {
    this.#isEnding = true;
  }
}
