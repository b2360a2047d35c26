/** The places of the highest values, the highest first; of equal ones the lower. For some hundred of them at most. */
export function firstPlaces(values: Float64Array | Uint32Array, count: number): number[] {
  const isBefore = (a: number, b: number): boolean => {
    const difference = (values[a] as number) - (values[b] as number);
    return difference > 0 || (difference === 0 && a < b);
  };
  const first: number[] = [];
  for (let place = 0; place < values.length; place++) {
    if (first.length === count && !isBefore(place, first.at(-1) ?? place)) continue;
    let at = first.length;
    while (at > 0 && isBefore(place, first[at - 1] as number)) at--;
    first.splice(at, 0, place);
    if (first.length > count) first.pop();
  }
  return first;
}
