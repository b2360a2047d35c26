import type { WatchTimers } from "../../../src/exporter/watch/site-watch.ts";

/** Time that passes when a test says so. */
export class ManualTimers implements WatchTimers {
  #nowMs = 0;
  readonly #tasks = new Set<{ readonly atMs: number; readonly task: () => void }>();

  readonly nowMs = (): number => this.#nowMs;

  readonly schedule = (delayMs: number, task: () => void): (() => void) => {
    const entry = { atMs: this.#nowMs + delayMs, task };
    this.#tasks.add(entry);
    return () => this.#tasks.delete(entry);
  };

  /** How many tasks wait. */
  get waiting(): number {
    return this.#tasks.size;
  }

  /** Lets time pass; what falls due is called in order. */
  advance(byMs: number): void {
    const endMs = this.#nowMs + byMs;
    for (;;) {
      const [next] = [...this.#tasks].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#tasks.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.task();
    }
    this.#nowMs = endMs;
  }
}
