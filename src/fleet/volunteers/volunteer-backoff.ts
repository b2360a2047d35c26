import type { EpochMs } from "../../core/index.ts";

const firstDelayMs = 15_000;
const mostDelayMs = 3_600_000;

/** Volunteers that lost units or gave them back wait for the next one: twice as long each time, until a result is accepted. */
export class VolunteerBackoff {
  readonly #losses = new Map<string, { readonly count: number; readonly until: EpochMs }>();

  noteLoss(volunteer: string, now: EpochMs): void {
    const count = (this.#losses.get(volunteer)?.count ?? 0) + 1;
    const until = now + Math.min(mostDelayMs, firstDelayMs * 2 ** Math.min(count - 1, 20));
    this.#losses.set(volunteer, { count, until });
  }

  noteAccepted(volunteer: string): void {
    this.#losses.delete(volunteer);
  }

  isWaiting(volunteer: string, now: EpochMs): boolean {
    return now < (this.#losses.get(volunteer)?.until ?? 0);
  }
}
