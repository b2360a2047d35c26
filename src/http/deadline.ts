const maxTimerMs = 2 ** 31 - 1;
/** A timer that goes off so much later than it should says that the process stood still, not the network. */
const stillMs = 20;
/** What came meanwhile lies in buffers of the system; so long it has at least to be read. */
const leastGraceMs = 1000;
/** Who watches is asked so often. */
const tickMs = 1000;

/**
 * Ends what takes too long. Time in which the process itself stood still, as in a long query of a database, is no server's fault: a
 * deadline that finds itself late is put off by as much, once.
 */
export class Deadline {
  readonly #timeoutMs: number;
  readonly #onLate: () => void;
  readonly #onTick: (() => void) | undefined;
  #endsAt: number;
  #timer: NodeJS.Timeout | undefined;
  #isPutOff = false;

  /** @param onTick - called about each second until then */
  constructor(timeoutMs: number, onLate: () => void, onTick?: () => void) {
    this.#timeoutMs = Math.min(timeoutMs, maxTimerMs);
    this.#onLate = onLate;
    this.#onTick = onTick;
    const now = performance.now();
    this.#endsAt = now + this.#timeoutMs;
    this.#wait(now);
  }

  /** Puts the end off; it is never further away than the timeout was. Costs no timer. */
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
