import { setImmediate } from "node:timers/promises";
import { TidemarkError } from "../model/index.ts";

/** Items between two breaths: some ten milliseconds of work. */
const itemsAtOnce = 10_000;

/** Lets others run, and stops when asked, in loops that never wait for anything. */
export class Breather {
  readonly #signal: AbortSignal | undefined;
  #items = 0;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  /** Counts an item. @returns whether {@link breathe} is to be awaited */
  count(): boolean {
    this.#items += 1;
    return this.#items % itemsAtOnce === 0;
  }

  /** @throws TidemarkError `aborted` */
  async breathe(): Promise<void> {
    await setImmediate();
    this.stopIfAsked();
  }

  /** @throws TidemarkError `aborted` */
  stopIfAsked(): void {
    if (this.#signal?.aborted === true)
      throw new TidemarkError("aborted", "Stopped while sitemaps and ResourceSync were written.", {
        hint: "The next export writes them: the archives are published already.",
      });
  }
}
