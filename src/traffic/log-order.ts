/** How a rotated log is named: `access.log.2.gz`, `access.log-20261001.gz`, `access.log.2026-10-01`, `access.log.2026-10`, `access.log.2026`. */
const rotated = /^(.*?)(?:\.(\d{1,3})|[.-]((?:19|20)\d\d(?:-?\d\d)?|\d{4}-?\d\d-?\d\d(?:-?\d+)?))(?:\.gz)?$/;

/** By the numbers in two texts. */
const { compare } = new Intl.Collator("en", { numeric: true });

/**
 * Puts the files of rotated logs in order of time: dates ascend, numbers descend, and the log itself is last. Other files stay
 * where they were given, as does each set as a whole.
 */
export function orderLogs(logs: readonly string[]): string[] {
  const sets = new Map<string, { readonly log: string; readonly rank: readonly [number, string] }[]>();
  for (const log of logs) {
    const [, base = log, number, date] = rotated.exec(log) ?? [];
    const set = sets.get(base) ?? [];
    sets.set(base, set);
    set.push({
      log,
      rank: date !== undefined ? [0, date] : number !== undefined ? [1, String(9999 - Number(number))] : [2, ""],
    });
  }
  return [...sets.values()].flatMap((set) =>
    set.sort((a, b) => a.rank[0] - b.rank[0] || compare(a.rank[1], b.rank[1])).map(({ log }) => log),
  );
}
