/** Bits of a page's version in a packed event. */
const versionBits = 12;

/** The version of an event that never happened: nothing is newer. */
export const falseVersion: number = 2 ** versionBits - 1;

/** What a crawler recorded, oldest first: the page and its version, and the crawler that says to have seen it. Grows at its end. */
export class EventLog {
  #events = new Uint32Array(1024);
  #origins = new Uint16Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(page: number, version: number, origin: number): void {
    if (this.#length === this.#events.length) {
      const events = new Uint32Array(2 * this.#length);
      const origins = new Uint16Array(2 * this.#length);
      events.set(this.#events);
      origins.set(this.#origins);
      this.#events = events;
      this.#origins = origins;
    }
    this.#events[this.#length] = page * 2 ** versionBits + version;
    this.#origins[this.#length++] = origin;
  }

  pageAt(place: number): number {
    return (this.#events[place] as number) >>> versionBits;
  }

  versionAt(place: number): number {
    return (this.#events[place] as number) & falseVersion;
  }

  originAt(place: number): number {
    return this.#origins[place] as number;
  }
}
