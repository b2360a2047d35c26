import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Fleet, openFleet, type SiteLease, type SiteResults } from "../../src/fleet/index.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";

const nothing: SiteResults = {
  state: undefined,
  pages: [],
  gone: [],
  events: [],
  found: [],
  taken: [],
  visit: undefined,
  next: { siteMs: 0, addressMs: 0, priority: 1 },
};

async function fill(fleet: Fleet, sites: number): Promise<void> {
  for (let from = 0; from < sites; from += 1000) {
    const count = Math.min(1000, sites - from);
    await fleet.addSites(
      Array.from({ length: count }, (_, at) => ({
        origin: `https://s${from + at}.example`,
        note: "",
        priority: (from + at) % 16,
      })),
    );
  }
}

/** Claims, commits and gives back until the time is over. @returns milliseconds of each claim and each commit */
async function lease(fleet: Fleet, batch: number, endMs: number): Promise<{ claims: number[]; commits: number[] }> {
  const claims: number[] = [];
  const commits: number[] = [];
  const timed = async <T>(times: number[], act: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await act();
    times.push(performance.now() - begun);
    return result;
  };
  while (performance.now() < endMs) {
    const held: readonly SiteLease[] = await timed(claims, async () => fleet.claim(batch));
    for (const one of held)
      if (!(await timed(commits, async () => fleet.commit(one, nothing)))) throw new Error("a lease was lost");
  }
  return { claims, commits };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Prints a table as Markdown. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- leases [--database ADDRESS] [--sites N] [--claimers N] [--batch N] [--seconds N]
Leases a second: each is claimed in a batch, committed and given back. Without --database, in a file.
`,
  options: { database: "", sites: 100_000, claimers: 4, batch: 100, seconds: 5 },
  run: async ({ database, sites, claimers, batch, seconds }) => {
    const file = join(tmpdir(), `tidemark-leases-${process.pid}.db`);
    const address = database === "" ? file : database;
    const workers: Fleet[] = [];
    try {
      for (let at = 0; at < claimers; at++) workers.push(await openFleet(address, { worker: `w${at}` }));
      log(`adding ${sites} sites`);
      await fill(workers[0] as Fleet, sites);
      const endMs = performance.now() + seconds * 1000;
      const times = await Promise.all(workers.map(async (worker) => lease(worker, batch, endMs)));
      const commits = times.flatMap((one) => one.commits);
      const claims = times.flatMap((one) => one.claims);
      const row = [
        commits.length / seconds,
        medianOf(claims),
        percentile(claims, 0.99),
        medianOf(commits),
        percentile(commits, 0.99),
      ];
      process.stdout.write("| leases a second | claim, median ms | claim, 99 % | commit, median ms | commit, 99 % |\n");
      process.stdout.write(`|${"--:|".repeat(row.length)}\n| ${row.map((value) => value.toFixed(2)).join(" | ")} |\n`);
    } finally {
      for (const worker of workers) await worker[Symbol.asyncDispose]();
      for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
    }
  },
});
