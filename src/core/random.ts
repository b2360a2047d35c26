/** Returns numbers from 0 up to but not including 1, with 53 random bits. */
export type Random = () => number;

/**
 * Creates a generator that depends only on the seed and the words, not on the order in which generators are created; so
 * the points of an experiment may run on any thread. The algorithm is Small Fast Counting (sfc32) of Chris
 * Doty-Humphrey's PractRand, with 128 bits of state.
 *
 * @param seed - a whole number from 0 to 2^32 - 1
 * @param words - purpose of the numbers, such as the names of the experiment and the point
 */
export function createRandom(seed: number, ...words: readonly (string | number)[]): Random {
  let [a, b, c] = [mix(seed >>> 0), mix((seed ^ 0x9e37_79b9) >>> 0), 0x243f_6a88];
  for (const unit of words.join("\0")) {
    a = mix(a ^ (unit.codePointAt(0) ?? 0));
    b = mix((b + a) | 0);
    c = mix(c ^ b);
  }
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // The first numbers still depend visibly on the seed.
  for (let turn = 0; turn < 15; turn++) next();
  return () => (next() * 2_097_152 + (next() >>> 11)) / 9_007_199_254_740_992;
}

// The finisher of MurmurHash3: each input bit affects every output bit.
function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/** Shuffles numbers in place (Fisher and Yates). */
export function shuffle(items: Int32Array | Float64Array, random: Random): void {
  for (let last = items.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1));
    [items[last], items[at]] = [items[at] ?? 0, items[last] ?? 0];
  }
}

/** An integer from 0 up to but not including `below`. */
export function pickInteger(random: Random, below: number): number {
  return Math.floor(random() * below);
}
