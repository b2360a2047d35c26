/** How a rotated log is named: `access.log.2.gz`, `access.log-20261001.gz`, `access.log.2026-10-01`. */
const rotated = /^(.*?)(?:\.(\d{1,4})|[.-](\d{4}-?\d\d-?\d\d(?:-?\d+)?))(?:\.gz)?$/;

/**
 * Puts the files of rotated logs in order of time: dates ascend, numbers descend, and the log itself is last. Other files stay
 * where they were given, as does each set as a whole.
 */
export function orderLogs(logs: readonly string[]): string[] {
  const sets = new Map<string, { readonly log: string; readonly rank: readonly [number, number] }[]>();
  for (const log of logs) {
    const [, base = log, number, date] = rotated.exec(log) ?? [];
    const set = sets.get(base) ?? [];
    sets.set(base, set);
    const day = date?.replaceAll("-", "");
    set.push({
      log,
      rank: day !== undefined ? [0, Number(day)] : number !== undefined ? [1, -Number(number)] : [2, 0],
    });
  }
  return [...sets.values()].flatMap((set) =>
    set.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]).map(({ log }) => log),
  );
}
