/** Of a table's places, so many may be used. */
const load = 0.6;

/** 53 bits of a text, other ones for each seed. */
export function hashText(text: string, seed: number): number {
  let upper = 0xdeadbeef ^ seed;
  let lower = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    upper = Math.imul(upper ^ code, 2_654_435_761);
    lower = Math.imul(lower ^ code, 1_597_334_677);
  }
  upper = Math.imul(upper ^ (upper >>> 16), 2_246_822_507) ^ Math.imul(lower ^ (lower >>> 13), 3_266_489_909);
  lower = Math.imul(lower ^ (lower >>> 16), 2_246_822_507) ^ Math.imul(upper ^ (upper >>> 13), 3_266_489_909);
  return 2 ** 32 * (2_097_151 & lower) + (upper >>> 0) + 1;
}

/** Numbers of URLs, in 20 bytes each: two URLs have the same one with a chance of one in 2^53 for each pair. */
export class UrlNumbers {
  readonly #seed: number;
  #keys = new Float64Array(2 ** 16);
  #numbers = new Uint32Array(2 ** 16);
  #size = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#size;
  }

  /** The number of a URL, a new one if it has none yet. */
  of(url: string): number {
    const key = hashText(url, this.#seed);
    const place = this.#placeOf(key);
    if (this.#keys[place] === key) return this.#numbers[place] as number;
    if (this.#size >= this.#keys.length * load) {
      this.#widen();
      return this.#put(this.#placeOf(key), key);
    }
    return this.#put(place, key);
  }

  /** The number of a URL; undefined if it has none. */
  find(url: string): number | undefined {
    const key = hashText(url, this.#seed);
    const place = this.#placeOf(key);
    return this.#keys[place] === key ? this.#numbers[place] : undefined;
  }

  #put(place: number, key: number): number {
    this.#keys[place] = key;
    this.#numbers[place] = this.#size;
    return this.#size++;
  }

  #placeOf(key: number): number {
    const mask = this.#keys.length - 1;
    let place = (key >>> 0) & mask;
    for (let there = this.#keys[place]; there !== key && there !== 0; there = this.#keys[place])
      place = (place + 1) & mask;
    return place;
  }

  #widen(): void {
    const [keys, numbers] = [this.#keys, this.#numbers];
    this.#keys = new Float64Array(keys.length * 2);
    this.#numbers = new Uint32Array(keys.length * 2);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key === 0) continue;
      const place = this.#placeOf(key);
      this.#keys[place] = key;
      this.#numbers[place] = numbers[at] as number;
    }
  }
}
