/**
 * A hash of bytes, of 53 bits, for tables that tell texts apart without holding them. Two texts of a million share one with
 * a probability of about 10^-4.
 *
 * @param seed - 32 bits that nobody who writes into a log knows
 */
export function hashBytes(bytes: Uint8Array, from: number, to: number, seed: number): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    high = Math.imul(high ^ byte, 2_654_435_761);
    low = Math.imul(low ^ byte, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 4_294_967_296 * (high & 0x1fffff) + (low >>> 0);
}
