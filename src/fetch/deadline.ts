const maxTimerMs = 2 ** 31 - 1;
/** A timer that goes off so much later than it should says that the process stood still, not the network. */
const stillMs = 20;
/** What came meanwhile lies in buffers of the system; so long it has at least to be read. */
const leastGraceMs = 1000;

/**
 * Ends what takes too long. Time in which the process itself stood still, as in a long query of a database, is no server's fault: a
 * deadline that finds itself late is put off by as much, once.
 */
export class Deadline {
  readonly #onLate: () => void;
  #timer: NodeJS.Timeout;

  constructor(timeoutMs: number, onLate: () => void) {
    this.#onLate = onLate;
    const waitMs = Math.min(timeoutMs, maxTimerMs);
    const dueAt = performance.now() + waitMs;
    this.#timer = setTimeout(() => this.#pass(performance.now() - dueAt), waitMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  #pass(lateMs: number): void {
    if (lateMs < stillMs) this.#onLate();
    else this.#timer = setTimeout(this.#onLate, Math.max(lateMs, leastGraceMs));
  }
}
