import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import { VirtualTime } from "../../lab/hosts/virtual-time.ts";

/**
 * Time that waits for a real network, and never runs ahead of real time. A clock that only ran would let the network's and the
 * machine's delays decide which of two visits comes first that are due at nearly the same instant; this one stands still while
 * requests are under way, so that nothing but the program decides.
 */
export class PacedTime {
  readonly time: VirtualTime;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(start: number) {
    const began = performance.now();
    const idle = async (): Promise<void> => {
      await nextTurn();
      while (this.#underWay.size > 0) {
        await Promise.all(this.#underWay);
        await nextTurn();
      }
    };
    const reach = async (at: number): Promise<void> => {
      const aheadMs = at - start - (performance.now() - began);
      if (aheadMs > 0) await wait(aheadMs);
    };
    this.time = new VirtualTime(start, idle, reach);
  }

  /** Holds time until it is done. */
  async hold<T>(doing: Promise<T>): Promise<T> {
    const settled = doing.then(
      () => undefined,
      () => undefined,
    );
    this.#underWay.add(settled);
    try {
      return await doing;
    } finally {
      this.#underWay.delete(settled);
    }
  }
}
