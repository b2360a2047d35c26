import type { Output } from "./output.ts";
import { formatCount, formatSpan } from "./quantity.ts";

const redrawAfterMs = 100;
const lineAfterMs = 10_000;

/** Before so much time a rate says nothing. */
const paceAfterMs = 2000;

/** How fast something goes on, and how long its rest takes at that rate. */
export class Pace {
  readonly #now: () => number;
  #of: string | undefined;
  #fromMs = 0;
  #fromDone = 0;

  /** @param now - milliseconds of a clock that does not go back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Says it as the end of a sentence, such as `, 120/s, 3 min left`; empty while there is nothing to say.
   *
   * @param of - what goes on, such as a phase; another one begins anew
   */
  format(of: string, done: number, total?: number): string {
    const now = this.#now();
    if (of !== this.#of || done < this.#fromDone) {
      this.#of = of;
      this.#fromMs = now;
      this.#fromDone = done;
    }
    const elapsedMs = now - this.#fromMs;
    const gained = done - this.#fromDone;
    if (elapsedMs < paceAfterMs || gained === 0) return "";
    const perSecond = (gained / elapsedMs) * 1000;
    const rate = `, ${perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond))}/s`;
    if (total === undefined || total <= done) return rate;
    return `${rate}, ${formatSpan(((total - done) / perSecond) * 1000)} left`;
  }
}

/** Says how far the work is: one line drawn again and again on a terminal, a line now and then elsewhere. */
export class ProgressLine {
  readonly #err: Output;
  readonly #quiet: boolean;
  #shownAt: number;
  #drawn = false;

  constructor(err: Output, quiet: boolean) {
    this.#err = err;
    this.#quiet = quiet;
    this.#shownAt = performance.now() - (err.isTerminal ? redrawAfterMs : 0);
  }

  /**
   * Shows a state, unless one was shown a moment ago.
   *
   * @param stays - nothing new comes for a while, so that a terminal shows it in any case
   */
  show(state: () => string, stays = false): void {
    if (this.#quiet) return;
    const now = performance.now();
    const isDue = now - this.#shownAt >= (this.#err.isTerminal ? redrawAfterMs : lineAfterMs);
    if (!isDue && !(stays && this.#err.isTerminal)) return;
    this.#shownAt = now;
    if (!this.#err.isTerminal) {
      this.#err.write(`${state()}\n`);
      return;
    }
    this.#drawn = true;
    this.#err.write(`\r${state().slice(0, this.#err.columns - 1)}\u001b[K`);
  }

  /** Prints a line that stays, above the progress; also when quiet. */
  say(line: string): void {
    this.clear();
    this.#err.write(`${line}\n`);
  }

  /** Takes the line away once something has ended, however it did. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    return await work.finally(() => this.clear());
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#drawn) this.#err.write("\r\u001b[K");
    this.#drawn = false;
  }
}
