export {
  formatBytes,
  formatCount,
  formatElapsed,
  formatMoment,
  formatNoun,
  formatSpan,
} from "../../formats/quantity/index.ts";

/** The sums of these numbers of several records. */
export function addUp<Key extends string>(
  keys: readonly Key[],
  records: ReadonlyArray<Readonly<Record<Key, number>>>,
): Record<Key, number> {
  const sums = keys.map((key) => [key, records.reduce((sum, record) => sum + record[key], 0)] as const);
  return Object.fromEntries(sums) as Record<Key, number>;
}
