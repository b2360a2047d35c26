interface Timer {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes when the test says so, beside real servers. */
export class ManualTime {
  #now = 1_800_000_000_000;
  readonly #timers = new Set<Timer>();

  readonly now = (): number => this.#now;

  /** Resolves once so much time was let pass, or the signal is aborted. */
  readonly delay = (delayMs: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (delayMs <= 0 || signal?.aborted === true) return void setImmediate(resolve);
      const wake = (): void => {
        this.#timers.delete(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer: Timer = { at: this.#now + delayMs, wake };
      this.#timers.add(timer);
      signal?.addEventListener("abort", wake, { once: true });
    });

  pass(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers]) if (timer.at <= this.#now) timer.wake();
  }
}
