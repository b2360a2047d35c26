import { setImmediate as nextTurn } from "node:timers/promises";

interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes only when nothing else is to be done. */
export class VirtualTime {
  #now = 1_800_000_000_000;
  readonly #timers = new Set<Timer>();

  readonly now = (): number => this.#now;

  /** Resolves after `delayMs` of virtual time, or once the signal is aborted. */
  readonly delay = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer: Timer = {
        at: this.#now + Math.max(0, delayMs),
        wake: () => {
          this.#timers.delete(timer);
          resolve();
        },
      };
      this.#timers.add(timer);
      signal?.addEventListener("abort", timer.wake, { once: true });
    });

  /** Sets the clock, as an administrator may. */
  set(now: number): void {
    this.#now = now;
  }

  /** Lets time pass until the work is done, however long that takes. */
  async run(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const end = work.finally(() => {
      isDone = true;
    });
    // Who asks may still do so.
    end.catch(() => undefined);
    for (;;) {
      await nextTurn();
      if (isDone) break;
      const next = [...this.#timers].reduce<Timer | undefined>(
        (first, timer) => (first === undefined || timer.at < first.at ? timer : first),
        undefined,
      );
      if (next === undefined) throw new Error("nobody waits, and the work is not done");
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    await end;
  }
}
