import { setImmediate } from "node:timers/promises";
import { TidemarkError } from "../../core/index.ts";

/** Items between two pauses: some ten milliseconds of work. */
const itemsAtOnce = 10_000;

/** Lets others run, and stops when asked, in loops that never wait for anything. */
export class Yielder {
  readonly #signal: AbortSignal | undefined;
  readonly #message: string;
  readonly #hint: string | undefined;
  #items = 0;

  /** @param message - what to say when it is stopped */
  constructor(signal: AbortSignal | undefined, message: string, hint?: string) {
    this.#signal = signal;
    this.#message = message;
    this.#hint = hint;
  }

  /** Counts an item. @returns whether {@link pause} is to be awaited */
  count(): boolean {
    this.#items += 1;
    return this.#items % itemsAtOnce === 0;
  }

  /** @throws TidemarkError `aborted` */
  async pause(): Promise<void> {
    await setImmediate();
    this.stopIfAsked();
  }

  /** @throws TidemarkError `aborted` */
  stopIfAsked(): void {
    if (this.#signal?.aborted === true)
      throw new TidemarkError("aborted", this.#message, this.#hint === undefined ? {} : { hint: this.#hint });
  }
}
