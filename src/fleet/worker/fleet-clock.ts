import type { EpochMs } from "../../core/index.ts";

/** The clock of a fleet's database, read on a machine whose own clock may be wrong: it runs with the monotonic clock of the process. */
export class FleetClock {
  #offsetMs = Date.now() - performance.now();

  /** Sets it by the database. @param ask - gives the database's time in milliseconds since 1970 */
  async set(ask: () => Promise<number>): Promise<void> {
    const before = performance.now();
    const now = await ask();
    this.#offsetMs = now - (before + performance.now()) / 2;
  }

  /** In whole milliseconds since 1970. */
  now(): EpochMs {
    return Math.round(this.#offsetMs + performance.now());
  }
}
