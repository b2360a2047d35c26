/** Work in slices between which the event loop turns, so that events are taken while much is to do. */
export class SlicedWork {
  readonly #step: () => boolean;
  readonly #stepsASlice: number;
  #waiting: (() => void)[] = [];
  #isScheduled = false;
  #isStopped = false;

  /** @param step - does a little; gives false if there was nothing to do */
  constructor(step: () => boolean, stepsASlice: number) {
    this.#step = step;
    this.#stepsASlice = stepsASlice;
  }

  /** Says that there is something to do. */
  wake(): void {
    if (this.#isScheduled || this.#isStopped) return;
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }

  /** Resolves when nothing is left to do, or all was stopped. */
  async whenIdle(): Promise<void> {
    if (!this.#isScheduled) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#isStopped = true;
    this.#settle();
  }

  #run(): void {
    this.#isScheduled = false;
    if (this.#isStopped) return;
    let isLeft = true;
    for (let step = 0; isLeft && step < this.#stepsASlice; step++) isLeft = this.#step();
    if (isLeft) this.wake();
    else this.#settle();
  }

  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
