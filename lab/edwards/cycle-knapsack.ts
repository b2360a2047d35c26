/** Things to take, by places from 0: what each costs, and what it gains for a unit of that. */
export interface Candidates {
  readonly gains: Float64Array;
  readonly costs: Float64Array;
  /** The places that count, in its first `count`; they are put in another order. */
  readonly places: Uint32Array;
  readonly count: number;
}

const middle = (a: number, b: number, c: number): number => Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));

/**
 * Takes what gains most for its cost as far as the room goes: one share at most is between 0 and 1, and of equal ones the
 * first come first. Only the side on which the room ends is looked at again, so that it takes time as the count, not as
 * sorting does.
 *
 * @param take - is called for each place of which a share is taken
 * @returns what a little more room would gain: 0 if there is enough
 */
export function fillRoom(
  { gains, costs, places, count }: Candidates,
  room: number,
  take: (place: number, share: number) => void,
): number {
  let left = room;
  let from = 0;
  let to = count;
  while (from < to) {
    const gainAt = (at: number): number => gains[places[at] ?? 0] ?? 0;
    const pivot = middle(gainAt(from), gainAt((from + to) >> 1), gainAt(to - 1));
    // In three parts: above the pivot, like it, below it.
    let above = from;
    let below = to;
    let aboveCost = 0;
    let likeCost = 0;
    for (let at = from; at < below; ) {
      const place = places[at] ?? 0;
      const gain = gains[place] ?? 0;
      if (gain > pivot) {
        aboveCost += costs[place] ?? 0;
        places[at++] = places[above] ?? 0;
        places[above++] = place;
      } else if (gain < pivot) {
        places[at] = places[--below] ?? 0;
        places[below] = place;
      } else {
        likeCost += costs[place] ?? 0;
        at += 1;
      }
    }
    if (aboveCost > left) {
      to = above;
      continue;
    }
    for (let at = from; at < above; at++) take(places[at] ?? 0, 1);
    left -= aboveCost;
    if (likeCost > left) return fillAlike(costs, places.subarray(above, below).sort(), left, take) ? pivot : 0;
    for (let at = above; at < below; at++) take(places[at] ?? 0, 1);
    left -= likeCost;
    from = below;
  }
  return 0;
}

/** @returns whether the room did not go as far as they do */
function fillAlike(
  costs: Float64Array,
  places: Uint32Array,
  room: number,
  take: (place: number, share: number) => void,
): boolean {
  let left = room;
  for (const place of places) {
    const cost = costs[place] ?? 0;
    take(place, cost > left ? left / cost : 1);
    if (cost > left) return true;
    left -= cost;
  }
  return false;
}
