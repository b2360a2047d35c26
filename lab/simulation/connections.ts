const none = -1;

/**
 * Connections that wait for their first byte or transfer a page, over a link that the transfers share. A transfer goes at the least of
 * what its site gives and its share of the link, which is another whenever a transfer begins or ends: so the end of
 * each moves all the time, and what ends next is searched for among all of them. O(connections) an event.
 */
export class Connections {
  readonly #bytesPerMs: number;
  readonly #sharing: number;
  /** By place: when it gets its first byte; Infinity once it has, or if it is free. */
  readonly #beginsAt: Float64Array;
  /** Bytes that are still to come; Infinity if it does not transfer. */
  readonly #bytesLeft: Float64Array;
  readonly #siteSpeed: Float64Array;
  readonly #isBusy: Uint8Array;
  readonly #free: number[];
  #transfers = 0;
  #nowMs = 0;
  /** What {@link next} found, and whether it is the first byte or the end. */
  #found = none;
  #isEnd = false;

  constructor(count: number, bytesPerMs: number, sharing: number) {
    this.#bytesPerMs = bytesPerMs;
    this.#sharing = sharing;
    this.#beginsAt = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.#bytesLeft = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    this.#siteSpeed = new Float64Array(count).fill(1);
    this.#isBusy = new Uint8Array(count);
    this.#free = Array.from({ length: count }, (_, place) => count - 1 - place);
  }

  /** Connections that are busy. */
  get busy(): number {
    return this.#isBusy.length - this.#free.length;
  }

  /** Milliseconds since the beginning. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Opens a connection. @returns its place; only if not all are busy */
  open(latencyMs: number, siteBytesPerMs: number): number {
    const place = this.#free.pop();
    if (place === undefined) throw new RangeError("all connections are busy");
    this.#isBusy[place] = 1;
    this.#siteSpeed[place] = siteBytesPerMs;
    this.#beginsAt[place] = this.#nowMs + latencyMs;
    return place;
  }

  /** Lets a connection that was opened and has its first byte transfer a page. */
  transfer(place: number, sizeBytes: number): void {
    this.#bytesLeft[place] = sizeBytes;
    this.#transfers++;
  }

  /** Frees a connection whose transfer ended. */
  close(place: number): void {
    this.#isBusy[place] = 0;
    this.#free.push(place);
  }

  /** When the first byte or the last of any connection comes next; Infinity if all are free. */
  next(): number {
    const share = this.#bytesPerMs / this.#transfers ** this.#sharing;
    let first = Number.POSITIVE_INFINITY;
    let found = none;
    let isEnd = false;
    const count = this.#isBusy.length;
    for (let place = 0; place < count; place++) {
      if (this.#isBusy[place] === 0) continue;
      const bytes = this.#bytesLeft[place] as number;
      const speed = this.#siteSpeed[place] as number;
      const isTransfer = bytes !== Number.POSITIVE_INFINITY;
      const at = isTransfer ? this.#nowMs + bytes / (speed < share ? speed : share) : (this.#beginsAt[place] as number);
      if (at >= first) continue;
      first = at;
      found = place;
      isEnd = isTransfer;
    }
    this.#found = found;
    this.#isEnd = isEnd;
    return first;
  }

  /** Lets time pass; never beyond what {@link next} gave last. */
  advance(toMs: number): void {
    const passedMs = toMs - this.#nowMs;
    this.#nowMs = toMs;
    if (passedMs === 0 || this.#transfers === 0) return;
    const share = this.#bytesPerMs / this.#transfers ** this.#sharing;
    const count = this.#isBusy.length;
    for (let place = 0; place < count; place++) {
      const bytes = this.#bytesLeft[place] as number;
      if (bytes === Number.POSITIVE_INFINITY) continue;
      const speed = this.#siteSpeed[place] as number;
      // Rounding may not leave less than nothing.
      this.#bytesLeft[place] = Math.max(0, bytes - passedMs * (speed < share ? speed : share));
    }
  }

  /** Takes what {@link next} found, once its time is come: a transfer that ended, or a connection that can begin one. */
  take(): { readonly place: number; readonly isEnd: boolean } {
    const [place, isEnd] = [this.#found, this.#isEnd];
    if (isEnd) {
      this.#bytesLeft[place] = Number.POSITIVE_INFINITY;
      this.#transfers--;
    } else this.#beginsAt[place] = Number.POSITIVE_INFINITY;
    return { place, isEnd };
  }
}
