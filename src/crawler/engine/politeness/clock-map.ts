/** What is in use is never dropped. */
export interface Used {
  readonly isUsed: boolean;
}

/** A bounded number of clocks by key; of those that are not in use the one that was asked for longest ago goes. */
export class ClockMap<Clock extends Used> {
  readonly #clocks = new Map<string, Clock>();
  readonly #maxClocks: number;
  readonly #make: (key: string) => Clock;

  constructor(maxClocks: number, make: (key: string) => Clock) {
    this.#maxClocks = maxClocks;
    this.#make = make;
  }

  get size(): number {
    return this.#clocks.size;
  }

  /** The clock of a key, made if there is none. */
  of(key: string): Clock {
    const clock = this.#clocks.get(key) ?? this.#make(key);
    this.#clocks.delete(key);
    this.#clocks.set(key, clock);
    if (this.#clocks.size > this.#maxClocks) this.#dropOne(key);
    return clock;
  }

  #dropOne(kept: string): void {
    for (const [key, clock] of this.#clocks) {
      if (clock.isUsed || key === kept) continue;
      this.#clocks.delete(key);
      return;
    }
  }
}
