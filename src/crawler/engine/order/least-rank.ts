/** The least rank among the highest, and how many of those that have it are among them. */
export interface LeastRank {
  readonly rank: number;
  readonly equals: number;
}

const halfBits = 16;
const halves = 2 ** halfBits;
/** Numbers from 0 on have bits up to these; what is below 0 or no number has more. */
const infinityBits = 0x7f800000;

/** The rank of a page: 0 if it has none, or one that is below 0 or no number. */
export function rankOf(ranks: Float32Array, page: number): number {
  const rank = ranks[page] ?? 0;
  return rank > 0 ? rank : 0;
}

/**
 * Finds which ranks are the highest, without sorting: floating-point numbers from 0 on stand in the order of their bits, so two
 * counts of sixteen bits each are enough. O(pages).
 *
 * @param count - how many are wanted; all, if there are fewer pages
 * @param ranks - by page, as {@link rankOf} has them
 */
export function findLeastTaken(pages: Int32Array, count: number, ranks: Float32Array): LeastRank {
  const bits = new Uint32Array(ranks.buffer, ranks.byteOffset, ranks.length);
  const bitsOf = (page: number): number => {
    const own = bits[page] ?? 0;
    return own > infinityBits ? 0 : own;
  };
  if (count >= pages.length) return { rank: 0, equals: pages.length };
  const upper = pick(
    pages,
    count,
    (page) => bitsOf(page) >>> halfBits,
    () => true,
  );
  const lower = pick(
    pages,
    upper.equals,
    (page) => bitsOf(page) & (halves - 1),
    (page) => bitsOf(page) >>> halfBits === upper.value,
  );
  const least = new Uint32Array([upper.value * halves + lower.value]);
  return { rank: new Float32Array(least.buffer)[0] as number, equals: lower.equals };
}

/** The least of the highest values, and how many of that value are wanted. */
function pick(
  pages: Int32Array,
  wanted: number,
  partOf: (page: number) => number,
  isMeant: (page: number) => boolean,
): { readonly value: number; readonly equals: number } {
  const counts = new Uint32Array(halves);
  for (const page of pages) {
    if (!isMeant(page)) continue;
    const value = partOf(page);
    counts[value] = (counts[value] as number) + 1;
  }
  let left = wanted;
  for (let value = halves - 1; value >= 0; value--) {
    const here = counts[value] as number;
    if (here >= left) return { value, equals: left };
    left -= here;
  }
  return { value: 0, equals: 0 };
}
