/** How many minima a sketch keeps, a byte each. */
export const sketchLength = 128;

const wordsAShingle = 4;
const seed = 0x71de_3a1c;

// A run of letters, digits and marks; scripts that set no spaces give a word a character.
const lone = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const wordForm = new RegExp(`[${lone}]|(?:(?![${lone}])[\\p{L}\\p{N}\\p{M}])+`, "gu");

/** The last step of MurmurHash3: each bit of the result depends on each bit of the number. */
function mix(number: number): number {
  let x = number;
  x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

const seeds: Uint32Array = Uint32Array.from({ length: sketchLength }, (_, at) =>
  mix(seed + Math.imul(at + 1, 0x9e37_79b9)),
);

function hashWord(word: string): number {
  let hash = seed;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x0100_0193);
  return mix(hash);
}

/** Words of a text, hashed. */
function hashWords(text: string): number[] {
  const hashes: number[] = [];
  for (const [word] of text.matchAll(wordForm)) hashes.push(hashWord(word));
  return hashes;
}

/**
 * The set of a text's word 4-shingles as 32-bit numbers. A text of one to three words is one shingle.
 *
 * @see Broder, Glassman, Manasse and Zweig, *Syntactic Clustering of the Web*, WWW6 1997, section 3
 */
export function shinglesOf(text: string): ReadonlySet<number> {
  const words = hashWords(text);
  const shingles = new Set<number>();
  for (let at = 0; at < words.length; at++) {
    if (at > 0 && at + wordsAShingle > words.length) break;
    let hash = seed;
    for (let word = at; word < Math.min(at + wordsAShingle, words.length); word++)
      hash = mix(Math.imul(hash, 31) + (words[word] ?? 0));
    shingles.add(hash);
  }
  return shingles;
}

/**
 * A sketch of a text: for each of 128 seeded hash functions the lowest 8 bits of the smallest hash
 * among its word 4-shingles. 128 bytes; none for a text without words.
 *
 * @see Li and König, *b-Bit Minwise Hashing*, WWW 2010
 */
export function sketchOf(text: string): Uint8Array {
  const shingles = shinglesOf(text);
  if (shingles.size === 0) return new Uint8Array(0);
  const minima = new Uint32Array(sketchLength).fill(0xffff_ffff);
  for (const shingle of shingles) {
    for (let at = 0; at < sketchLength; at++) {
      const hash = mix(shingle ^ (seeds[at] ?? 0));
      if (hash < (minima[at] ?? 0)) minima[at] = hash;
    }
  }
  return Uint8Array.from(minima, (minimum) => minimum & 255);
}

/**
 * Estimates the resemblance (the Jaccard coefficient of the sets of shingles) of two texts from their
 * sketches. The standard error is at most 0.044, at 0.9 it is 0.027.
 *
 * Two unlike minima agree in their lowest b bits by chance, once in 2^b: of the share P of bytes that
 * agree, R = (P - 2^-b) / (1 - 2^-b), cut off at 0.
 *
 * @returns 1 where neither text has words, 0 where one has none
 * @see Li and König, *b-Bit Minwise Hashing*, WWW 2010, theorem 1 for sets that are small beside 2^32
 */
export function resemblance(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return 0;
  if (a.length === 0) return 1;
  let equal = 0;
  for (let at = 0; at < a.length; at++) if (a[at] === b[at]) equal += 1;
  const chance = 1 / 256;
  return Math.max(0, (equal / a.length - chance) / (1 - chance));
}
