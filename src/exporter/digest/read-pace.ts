/** A disk reads no less than a block of a file. */
const blockBytes = 4096;
/** Shorter waits are saved up. */
const shortestWaitMs = 10;

/** Makes a thread wait so that it reads no more than so many bytes a second. */
export class ReadPace {
  readonly #bytesPerSecond: number;
  readonly #cell: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  #freeAtMs = 0;
  #prepaidBytes = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits until `bytes` that were read are paid for; 0 begins a file, which counts as a block at least. */
  spend(bytes: number): void {
    // What a file has beyond its first block is counted as it comes.
    const dueBytes = bytes === 0 ? blockBytes : Math.max(0, bytes - this.#prepaidBytes);
    this.#prepaidBytes = bytes === 0 ? blockBytes : Math.max(0, this.#prepaidBytes - bytes);
    const nowMs = performance.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs - shortestWaitMs) + (dueBytes * 1000) / this.#bytesPerSecond;
    const waitMs = this.#freeAtMs - nowMs;
    if (waitMs >= shortestWaitMs) Atomics.wait(this.#cell, 0, 0, waitMs);
  }
}
