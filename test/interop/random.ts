/** A stream of random numbers that a seed determines. */
export interface Random {
  /** From 0 to 1, exclusive. */
  readonly next: () => number;
  /** A whole number from 0 to `below`, exclusive. */
  readonly below: (below: number) => number;
  /** Takes `count` different items, or all of them if there are fewer, in random order. */
  readonly sample: <Item>(items: readonly Item[], count: number) => Item[];
}

/** Makes a stream: Mulberry32 by Tommy Ettinger, 32 bits of state, good enough to choose files and instants. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const sample = <Item>(items: readonly Item[], count: number): Item[] => {
    const rest = [...items];
    const taken: Item[] = [];
    while (taken.length < count && rest.length > 0) {
      const [item] = rest.splice(below(rest.length), 1);
      if (item !== undefined) taken.push(item);
    }
    return taken;
  };
  return { next, below, sample };
}
