// A heap of four children a node, in two arrays from a place on: keys, and items that stand for ties. Those of one node lie in one
// or two lines of a cache, where a heap of two children a node looks at twice as many levels.

const childBits = 2;
const children = 1 << childBits;

/** The last node of a heap that has children; -1 if there is none. */
export function lastParent(count: number): number {
  return (count - 2) >> childBits;
}

/** Whether a key and its item go before what is at a place. */
export function isBefore(keys: Float64Array, items: Int32Array, key: number, item: number, place: number): boolean {
  const other = keys[place] as number;
  return key < other || (key === other && item < (items[place] as number));
}

/** Puts an item into the gap at a node, or above it. O(1) on average for keys in no order, O(log n) at worst. */
export function rise(
  keys: Float64Array,
  items: Int32Array,
  base: number,
  gap: number,
  key: number,
  item: number,
): void {
  let node = gap;
  while (node > 0) {
    const parent = (node - 1) >> childBits;
    if (!isBefore(keys, items, key, item, base + parent)) break;
    keys[base + node] = keys[base + parent] as number;
    items[base + node] = items[base + parent] as number;
    node = parent;
  }
  keys[base + node] = key;
  items[base + node] = item;
}

/** Puts an item into the gap at a node of a heap of so many, or below it. O(log n). */
export function sink(
  keys: Float64Array,
  items: Int32Array,
  base: number,
  count: number,
  gap: number,
  key: number,
  item: number,
): void {
  let node = gap;
  for (let child = children * node + 1; child < count; child = children * node + 1) {
    const end = Math.min(child + children, count);
    let least = child;
    for (let other = child + 1; other < end; other++)
      if (isBefore(keys, items, keys[base + other] as number, items[base + other] as number, base + least))
        least = other;
    if (isBefore(keys, items, key, item, base + least)) break;
    keys[base + node] = keys[base + least] as number;
    items[base + node] = items[base + least] as number;
    node = least;
  }
  keys[base + node] = key;
  items[base + node] = item;
}
