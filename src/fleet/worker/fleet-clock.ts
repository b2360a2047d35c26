import type { EpochMs } from "../../core/index.ts";

/** The clocks of a machine and of the database drift apart; so far they may, for waits are measured by one of them. */
const mostDriftMs = 1000;

/**
 * The clock of a fleet's database, read on a machine whose own clock may be wrong. It runs with the monotonic clock of the process, and
 * jumps only if that was stopped or drifted far, so that the time between two requests is what it seems to be.
 */
export class FleetClock {
  #offsetMs: number | undefined;

  /** Sets it by the database. @param ask - gives the database's time in milliseconds since 1970 */
  async set(ask: () => Promise<number>): Promise<void> {
    const before = performance.now();
    const now = await ask();
    const after = performance.now();
    const offsetMs = now - (before + after) / 2;
    const errorMs = Math.abs(offsetMs - (this.#offsetMs ?? Number.NEGATIVE_INFINITY)) - (after - before) / 2;
    if (errorMs > mostDriftMs) this.#offsetMs = offsetMs;
  }

  /** In whole milliseconds since 1970. */
  now(): EpochMs {
    return Math.round((this.#offsetMs ?? Date.now() - performance.now()) + performance.now());
  }
}
