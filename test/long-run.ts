/** Whether this process runs a `*.slow.test.ts`: the tests of its quick neighbour, with more runs and larger sites. */
const isLong = process.argv[1]?.endsWith(".slow.test.js") === true;

/** A number of runs or pages: the one of a quick test, or that of its slow neighbour. */
export function longer(quick: number, long: number): number {
  return isLong ? long : quick;
}

/** Rows of a table: each so many-th from the first on in a quick test, all in its slow neighbour. */
export function fewer<Row>(rows: readonly Row[], step: number): readonly Row[] {
  return isLong ? rows : rows.filter((_, at) => at % step === 0);
}
