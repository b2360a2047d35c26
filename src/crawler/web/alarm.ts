import type { Timing } from "../../core/index.ts";

const longestDelayMs = 3_600_000;
/** The reason for ending a wait; without it an error is created each time. */
const somethingHappened = "something happened";

/** Waits that end when something happens, or after some time. */
export class Alarm {
  readonly #delay: Timing["delay"] | undefined;
  #ring: () => void = () => undefined;

  /** @param delay - waits. Default: real time */
  constructor(delay: Timing["delay"] | undefined) {
    this.#delay = delay;
  }

  /** Ends the wait, if there is one. */
  ring(): void {
    this.#ring();
  }

  /** Waits so long at most; an hour at the longest. */
  async wait(wantedMs: number): Promise<void> {
    const delayMs = Math.max(0, Math.min(longestDelayMs, wantedMs));
    if (this.#delay !== undefined) {
      const rung = new AbortController();
      this.#ring = () => rung.abort(somethingHappened);
      await this.#delay(delayMs, rung.signal);
    }
    // A timer of Node that is aborted makes an error each time.
    else
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        this.#ring = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#ring = () => undefined;
  }
}
