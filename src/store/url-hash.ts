import { hash } from "node:crypto";

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);

/**
 * A number that stands for a URL: 62 bits of a salted SHA-256, as a floating-point number. Cleared are the sign and the first bit
 * of the exponent, so that each is finite and none below 0: numbers sort as their bits do, and natively.
 *
 * Two URLs of n have the same number with a chance of n * n / 2^63: one in a thousand for 100 million URLs. The salt keeps
 * those who write URLs from looking for such pairs.
 */
export function hashUrl(url: string, salt: string): number {
  const digest = hash("sha256", salt + url, "buffer");
  words[0] = digest.readUInt32LE(0) | 1;
  words[1] = digest.readUInt32LE(4) & 0x3fff_ffff;
  return number[0] as number;
}

/** 31 bits of the number of a URL, for a place in a table. */
export function lowBitsOf(hashed: number): number {
  number[0] = hashed;
  return (words[0] as number) >>> 1;
}
