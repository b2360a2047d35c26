/** Groups values by a key, in the order in which keys come first. */
export function groupBy<Key, Value>(values: readonly Value[], of: (value: Value) => Key): Map<Key, Value[]> {
  const groups = new Map<Key, Value[]>();
  for (const value of values) {
    const group = groups.get(of(value));
    if (group === undefined) groups.set(of(value), [value]);
    else group.push(value);
  }
  return groups;
}
