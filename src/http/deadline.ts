import { maxTimerMs } from "../core/index.ts";

/** If a timer fires this much too late, the process was blocked, not the network. */
const stillMs = 20;
/** Extra time to read what is in the system's buffers. */
const leastGraceMs = 1000;
/** Interval of `onTick`. */
const tickMs = 1000;

/**
 * Ends what takes too long. Time in which the process itself was blocked, such as in a long database query, does not
 * count against the server: a deadline that notices it fired late is extended by that time, once.
 */
export class Deadline {
  readonly #timeoutMs: number;
  readonly #onLate: () => void;
  readonly #onTick: (() => void) | undefined;
  #endsAt: number;
  #timer: NodeJS.Timeout | undefined;
  #isPutOff = false;

  /** @param onTick - called about every second until then */
  constructor(timeoutMs: number, onLate: () => void, onTick?: () => void) {
    this.#timeoutMs = Math.min(timeoutMs, maxTimerMs);
    this.#onLate = onLate;
    this.#onTick = onTick;
    const now = performance.now();
    this.#endsAt = now + this.#timeoutMs;
    this.#wait(now);
  }

  /** Extends the deadline, up to one timeout from now. Starts no new timer. */
  extend(byMs: number): void {
    this.#endsAt = Math.min(performance.now() + this.#timeoutMs, this.#endsAt + byMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(now: number): void {
    const leftMs = Math.max(0, this.#endsAt - now);
    const dueAt = now + (this.#onTick === undefined ? leftMs : Math.min(leftMs, tickMs));
    this.#timer = setTimeout(() => this.#pass(dueAt), Math.ceil(dueAt - now));
  }

  #pass(dueAt: number): void {
    const now = performance.now();
    const lateMs = now - dueAt;
    if (now >= this.#endsAt) {
      if (lateMs < stillMs || this.#isPutOff) {
        this.#onLate();
        return;
      }
      this.#isPutOff = true;
      this.#endsAt = now + Math.max(lateMs, leastGraceMs);
    }
    this.#wait(now);
    this.#onTick?.();
  }
}
