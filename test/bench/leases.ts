import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { type Fleet, openFleet, type SiteResults } from "../../src/fleet/index.ts";
import { startPostgres } from "../postgres-server.ts";
import { type Benchmark, defineBenchmark, log, medianOf } from "./benchmark.ts";

/** A visit that found one page; its site is due again after the benchmark. */
const results: SiteResults = {
  state: undefined,
  pages: [{ path: "/", size: 1000, digest: "digest", modified: 1, mediaType: "text/html", fetched: 2 }],
  gone: [],
  events: [{ path: "/", kind: "updated", at: 2 }],
  found: [],
  taken: [],
  visit: '{"pages":1}',
  next: { siteMs: 86_400_000, addressMs: 0, priority: 1 },
};
const priorities = 16;
const schema = "bench";

/** How a database answered. */
interface Times {
  readonly claims: number[];
  readonly commits: number[];
}

/** Claims, commits and gives back until the time is over. @param atOnce - commits under way at once, as of visits */
async function lease(fleet: Fleet, batch: number, endMs: number, atOnce: number): Promise<Times> {
  const times: Times = { claims: [], commits: [] };
  const timed = async <T>(into: number[], act: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await act();
    into.push(performance.now() - begun);
    return result;
  };
  while (performance.now() < endMs) {
    const held = [...(await timed(times.claims, async () => fleet.claim(batch)))];
    if (held.length < batch) throw new Error("too few sites for this time");
    const commit = async (): Promise<void> => {
      for (let one = held.pop(); one !== undefined; one = held.pop()) {
        const site = one;
        if (!(await timed(times.commits, async () => fleet.commit(site, results)))) throw new Error("a lease was lost");
      }
    };
    await Promise.all(Array.from({ length: atOnce }, commit));
  }
  return times;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function measure(
  address: string,
  what: readonly string[],
  { claimers, batch, seconds }: { readonly claimers: number; readonly batch: number; readonly seconds: number },
): Promise<void> {
  const workers: Fleet[] = [];
  for (let at = 0; at < claimers; at++) workers.push(await openFleet(address, { worker: `w${at}` }));
  try {
    const begun = performance.now();
    const all = await Promise.all(workers.map(async (one) => lease(one, batch, begun + seconds * 1000, 4)));
    const took = (performance.now() - begun) / 1000;
    const claims = all.flatMap((times) => times.claims);
    const commits = all.flatMap((times) => times.commits);
    const ms = [medianOf(claims), percentile(claims, 0.99), medianOf(commits), percentile(commits, 0.99)];
    const row = [...what, claimers, batch, Math.round(commits.length / took), ...ms.map((value) => value.toFixed(1))];
    process.stdout.write(`| ${row.join(" | ")} |\n`);
  } finally {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  }
}

/** Makes sites that are due, by the statements of the database itself: faster than by the port. */
async function fillPostgres(sql: Sql, address: string, sites: number): Promise<void> {
  await sql.unsafe(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await (await openFleet(address))[Symbol.asyncDispose]();
  await sql.unsafe(`
    INSERT INTO ${schema}.site_origin (origin, note) SELECT 'https://s' || n || '.example', '' FROM generate_series(1, ${sites}) n;
    INSERT INTO ${schema}.site (id, priority, next_at, address)
      SELECT n, n % ${priorities}, now() - n % 1000 * interval '1 second', '192.0.' || n FROM generate_series(1, ${sites}) n;
    INSERT INTO ${schema}.address (name) SELECT address FROM ${schema}.site`);
  await sql.unsafe(`VACUUM ANALYZE ${schema}.site`);
  await sql.unsafe(`VACUUM ANALYZE ${schema}.address`);
}

/** Leaves a million dead rows, that nothing vacuums. */
async function leaveDead(sql: Sql, sites: number): Promise<void> {
  await sql.unsafe(`ALTER TABLE ${schema}.site SET (autovacuum_enabled = false)`);
  for (let left = 1_000_000; left > 0; left -= sites)
    await sql.unsafe(`UPDATE ${schema}.site SET next_at = next_at + interval '1 second'`);
}

async function countScans(sql: Sql): Promise<number> {
  // What this connection did is counted too.
  await sql`SELECT pg_stat_force_next_flush()`;
  await sql`SELECT pg_stat_clear_snapshot()`;
  const [row] = await sql<{ scans: number }[]>`
    SELECT seq_scan::integer AS scans FROM pg_stat_user_tables WHERE schemaname = ${schema} AND relname = 'site'`;
  return row?.scans ?? 0;
}

async function benchPostgres(sizes: readonly number[], seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-leases-"));
  try {
    await using server = await startPostgres(folder);
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
    const address = `${server.url}?schema=${schema}`;
    for (const sites of sizes)
      for (const dead of [0, 1_000_000]) {
        log(`making ${sites} sites and ${dead} dead rows`);
        await fillPostgres(sql, address, sites);
        if (dead > 0) await leaveDead(sql, sites);
        // What was made is not written while leases are measured.
        await sql`CHECKPOINT`;
        const scans = await countScans(sql);
        for (const [claimers, batch] of [
          [1, 100],
          [4, 100],
          [8, 100],
          [1, 1],
          [4, 1],
          [8, 1],
        ] as const)
          await measure(address, ["PostgreSQL", String(sites), String(dead)], { claimers, batch, seconds });
        // The statistics of a backend come with its end.
        const more = (await countScans(sql)) - scans;
        if (more > 0) throw new Error(`the table of sites was read as a whole ${more} times`);
      }
    await sql.end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchFile(sizes: readonly number[], seconds: number): Promise<void> {
  for (const sites of sizes) {
    const folder = mkdtempSync(join(tmpdir(), "tidemark-leases-"));
    const address = join(folder, "fleet.db");
    try {
      log(`making ${sites} sites in a file`);
      const fleet = await openFleet(address);
      for (let from = 0; from < sites; from += 10_000)
        await fleet.addSites(
          Array.from({ length: Math.min(10_000, sites - from) }, (_, at) => ({
            origin: `https://s${from + at}.example`,
            note: "",
            priority: (from + at) % priorities,
          })),
        );
      await fleet[Symbol.asyncDispose]();
      for (const batch of [100, 1])
        await measure(address, ["a file", String(sites), "0"], { claimers: 1, batch, seconds });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Prints a table as Markdown. */
export const benchmark: Benchmark = defineBenchmark({
  help: `npm run bench -- leases [--sites N] [--seconds N]
Leases a second, in PostgreSQL of its own and in a file: each is claimed in a batch, committed with a page and given back.
Before and after a million dead rows. --sites: only of this size.
`,
  options: { sites: 0, seconds: 4 },
  run: async ({ sites, seconds }) => {
    const sizes = sites > 0 ? [sites] : [100_000, 1_000_000];
    const head = ["in", "sites", "dead rows", "claimers", "batch", "leases/s", "claim ms", "99 %", "commit ms", "99 %"];
    process.stdout.write(`| ${head.join(" | ")} |\n|---|${"--:|".repeat(head.length - 1)}\n`);
    await benchPostgres(sizes, seconds);
    await benchFile(sizes, seconds);
  },
});
