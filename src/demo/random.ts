/** Numbers from 0 up to, not including, 1. */
export type Random = () => number;

/**
 * Makes a generator that gives the same numbers for the same seed: Mulberry32, 32 bits of state.
 *
 * @param seed - a whole number; only its low 32 bits count
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from 0 up to, not including, `below`. */
export function pickInteger(random: Random, below: number): number {
  return Math.floor(random() * below);
}

/** Takes `count` different items, in random order. */
export function pickSome<T>(random: Random, items: readonly T[], count: number): T[] {
  const rest = [...items];
  const taken: T[] = [];
  while (taken.length < count && rest.length > 0) taken.push(...rest.splice(pickInteger(random, rest.length), 1));
  return taken;
}
