import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { createRandom, pickInteger } from "../../../src/core/random.ts";
import { nodeCodec } from "../../../src/http/index.ts";
import { startPostgres } from "../../postgres-server.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { MadeSites } from "../web-crawl/made-sites.ts";
import { startServer } from "../web-crawl/processes.ts";
import type { ServerReport } from "../web-crawl/server-process.ts";
import { openTcpCut } from "./tcp-cut.ts";

/** A crawl by a fleet of real workers, and what happens to them. */
export interface FleetTrialOptions {
  readonly folder: string;
  readonly workers: number;
  readonly sites: number;
  readonly pages: number;
  readonly seed: number;
  readonly isFriendly: boolean;
  /** Whether sites are found by links, from ten seeds, rather than listed. */
  readonly isWeb: boolean;
  readonly leaseMs: number;
  readonly restMs: number;
  readonly pagesBeforeRest: number;
  /** Sites that a worker holds at once. */
  readonly connections: number;
  /** Workers that are killed, and workers that are stopped beyond their leases, one after the other. */
  readonly kills: number;
  readonly freezes: number;
  /** How often the database crashes and starts again. */
  readonly restarts: number;
  /** For how long a worker is cut from the database; 0 for not at all. */
  readonly cutMs: number;
  /** Whether the first worker's clock is an hour ahead. */
  readonly isSkewed: boolean;
  /** In one process without a fleet. */
  readonly isAlone: boolean;
  readonly onLine?: (line: string) => void;
}

/** What came of it. */
export interface FleetTrial {
  readonly report: ServerReport;
  readonly pages: number;
  /** Pages that may be requested. */
  readonly inScope: number;
  /** Of the database: pages, pages whose digest is not that of the page that is served, and pages that were created more than once. */
  readonly stored: number;
  readonly wrong: number;
  readonly twice: number;
  readonly lost: number;
  readonly size: DatabaseSize | undefined;
  readonly seconds: number;
  /** Of all workers. */
  readonly cpuSeconds: number;
  readonly did: Readonly<Record<"kill" | "freeze" | "restart" | "cut", number>>;
}

/** Bytes of the fleet's tables with their indexes, what is left of them by `VACUUM FULL`, and of the log that the crawl wrote. */
export interface DatabaseSize {
  readonly visits: number;
  readonly tables: readonly { readonly name: string; readonly bytes: number }[];
  readonly logBytes: number;
}

interface Worker {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  isFrozen: boolean;
}

const seeds = 10;
const program = join(repositoryFolder(), "bin", "tidemark.js");

/** Runs it to its end. */
export async function runFleetTrial(options: FleetTrialOptions): Promise<FleetTrial> {
  const { folder, sites, pages, seed, isFriendly, isWeb, restMs, pagesBeforeRest, workers: count } = options;
  const say = options.onLine ?? (() => undefined);
  const made = new MadeSites(sites, pages, seed, isFriendly);
  const shape = { sites, pages, seed, isFriendly };
  await using server = await startServer({ ...shape, restMs, pagesBeforeRest, latencyMs: 0, hostility: undefined });
  await using database = await startPostgres(folder, "-c max_connections=200");
  using way = await openTcpCut(database.port);
  const schema = "fleet_trial";
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined });
  const [start] = await sql`SELECT pg_current_wal_lsn() AS log`;
  const listed = isWeb ? Math.min(seeds, sites) : sites;
  const urls = Array.from({ length: listed }, (_, at) => `http://${made.hostOf(at)}:${server.port}/\n`);
  const list = join(folder, "sites.txt");
  writeFileSync(list, urls.join(""));
  const into = join(folder, "crawl");
  const cpu = new Map<number, number>();
  const begin = (number: number): Worker => {
    const port = options.cutMs > 0 && number === 1 ? way.port : database.port;
    const url = new URL(database.url);
    url.port = String(port);
    url.searchParams.set("schema", schema);
    const fleet = options.isAlone ? [] : ["--fleet", url.href, "--lease", `${options.leaseMs / 1000}s`];
    const args = [
      ...[program, "crawl", isWeb ? "--web" : "--sites", list, "--into", into, "--keep", "none"],
      ...[...fleet, "--json", "--name-server", server.nameServer, "--connections", String(options.connections)],
      ...[
        "--pages-before-rest",
        String(pagesBeforeRest),
        "--rest",
        String(restMs / 1000),
        "--timeout",
        "3",
        "--allow-private",
      ],
      ...(restMs > 0 ? ["--rest-on-loopback"] : []),
      ...(isWeb ? ["--retry", "1s", "--depth", "40", "--max-pages", "100000"] : ["--source", "links"]),
    ];
    const isSkewed = options.isSkewed && number === 0;
    const [name, ...rest] = isSkewed ? ["faketime", "-f", "+3600s", process.execPath] : [process.execPath];
    const env = isSkewed ? { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: "1" } : process.env;
    const child = spawn(name as string, [...rest, ...args], { stdio: ["ignore", "pipe", "pipe"], env });
    let problems = "";
    child.stderr?.on("data", (data: Buffer) => {
      problems = (problems + data.toString()).slice(-4000);
    });
    child.stdout?.resume();
    const ended = once(child, "exit").then(([code, signal]) => {
      if (signal === null && code !== 0 && code !== 3) say(`worker ${number} ended with ${code}: ${problems}`);
    });
    return { child, ended, isFrozen: false };
  };
  const beganAt = performance.now();
  const workers = Array.from({ length: count }, (_, number) => begin(number));
  // Workers outlive neither the trial nor its end by a signal.
  const killAll = (): void => {
    for (const { child } of workers) child.kill("SIGKILL");
  };
  const end = (): void => process.exit(1);
  process.once("exit", killAll).once("SIGTERM", end).once("SIGINT", end);
  const did = { kill: 0, freeze: 0, restart: 0, cut: 0 };
  const stop = new AbortController();
  const troubles = makeTroubles({ options, workers, begin, restart: database.restart, cut: way.cut, did, say });
  const inScope = Array.from({ length: made.sites }, (_, site) => (made.isInScope(site) ? made.sizeOf(site) : 0));
  const all = inScope.reduce((sum, size) => sum + size, 0);
  const running = (async () => {
    let next = 1;
    let told = 0;
    while (!stop.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      for (const { child } of workers)
        if (child.pid !== undefined) cpu.set(child.pid, cpuOf(child.pid) ?? cpu.get(child.pid) ?? 0);
      const [row] = await sql.unsafe(`SELECT count(*)::int AS pages FROM ${schema}.page`).catch(() => []);
      const done = Number(row?.pages ?? 0) / all;
      if (done - told >= 0.05) say(`${Math.round(done * 100)} % of the pages`);
      if (done - told >= 0.05) told = done;
      while (troubles.length > 0 && done >= (next * 0.85) / (troubles.length + next)) {
        next++;
        void troubles.shift()?.();
      }
    }
  })();
  // Workers that were killed have successors in the same place.
  for (let at = 0; at < workers.length; at++) await (workers[at] as Worker).ended;
  for (const worker of workers) await worker.ended;
  const seconds = (performance.now() - beganAt) / 1000;
  stop.abort();
  await running;
  const stored = new Map<string, string>();
  const size = options.isAlone ? undefined : await measureDatabase(sql, schema, String(start?.log));
  let twice = 0;
  if (!options.isAlone) {
    for (const { origin, path, digest } of await sql.unsafe(
      `SELECT s.origin, p.path, p.digest FROM ${schema}.page p JOIN ${schema}.site_origin s ON s.site = p.site`,
    ))
      stored.set(String(origin) + String(path), String(digest));
    const again = await sql.unsafe(
      `SELECT 1 FROM ${schema}.web_event WHERE kind = 'created' GROUP BY site, path HAVING count(*) > 1`,
    );
    twice = again.length;
  }
  let [wrong, lost] = [0, 0];
  for (let site = 0; site < made.sites && !options.isAlone; site++) {
    if (!made.isInScope(site)) continue;
    for (let page = 0; page < made.sizeOf(site); page++) {
      const digest = stored.get(`http://${made.hostOf(site)}:${server.port}${made.pathOf(page)}`);
      const body = Buffer.from(made.htmlOf(site, page, server.port));
      if (digest === undefined) lost++;
      else if (digest !== nodeCodec.digestOf(body)) wrong++;
    }
  }
  await sql.end();
  process.off("exit", killAll).off("SIGTERM", end).off("SIGINT", end);
  const cpuSeconds = [...cpu.values()].reduce((sum, seconds) => sum + seconds, 0);
  const report = await server.report();
  return {
    report,
    pages: made.pages,
    inScope: all,
    stored: stored.size,
    wrong,
    twice,
    lost,
    size,
    seconds,
    cpuSeconds,
    did,
  };
}

/** Seconds of processors that a process took so far; undefined once it has ended. */
function cpuOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return undefined;
  }
}

interface TroubleMeans {
  readonly options: FleetTrialOptions;
  readonly workers: Worker[];
  readonly begin: (number: number) => Worker;
  readonly restart: () => void;
  readonly cut: (isCut: boolean) => void;
  readonly did: Record<"kill" | "freeze" | "restart" | "cut", number>;
  readonly say: (line: string) => void;
}

async function measureDatabase(sql: postgres.Sql, schema: string, beganAt: string): Promise<DatabaseSize> {
  const [log] = await sql`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), ${beganAt}::pg_lsn)::float8 AS bytes`;
  const names = [
    "site",
    "site_origin",
    "address",
    "site_state",
    "page",
    "web_event",
    "visit",
    "handed_url",
    "handed_site",
  ];
  const tables = [];
  for (const name of names) {
    await sql.unsafe(`VACUUM FULL ${schema}.${name}`);
    const [row] = await sql.unsafe(`SELECT pg_total_relation_size('${schema}.${name}')::float8 AS bytes`);
    tables.push({ name, bytes: Number(row?.bytes) });
  }
  const [row] = await sql.unsafe(`SELECT count(*)::int AS visits FROM ${schema}.visit`);
  return { visits: Number(row?.visits), tables, logBytes: Number(log?.bytes) };
}

/** What happens to the workers, in a drawn order. */
function makeTroubles({ options, workers, begin, restart, cut, did, say }: TroubleMeans): Array<() => Promise<void>> {
  const random = createRandom(options.seed + 7);
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  // Not those whose clock is wrong or that are cut off.
  const pick = (): number => (workers.length > 2 ? 2 + pickInteger(random, workers.length - 2) : 0);
  const kill = async (): Promise<void> => {
    const at = pick();
    const worker = workers[at] as Worker;
    if (worker.isFrozen || worker.child.exitCode !== null) return;
    worker.child.kill("SIGKILL");
    did.kill++;
    say(`worker ${at} was killed`);
    await worker.ended;
    workers[at] = begin(at);
  };
  const freeze = async (): Promise<void> => {
    const at = pick();
    const worker = workers[at] as Worker;
    if (worker.isFrozen || worker.child.exitCode !== null) return;
    worker.isFrozen = true;
    worker.child.kill("SIGSTOP");
    did.freeze++;
    say(`worker ${at} was frozen`);
    await wait(options.leaseMs * 2.5);
    worker.child.kill("SIGCONT");
    worker.isFrozen = false;
  };
  const crash = async (): Promise<void> => {
    did.restart++;
    say("the database crashes");
    restart();
  };
  const cutOff = async (): Promise<void> => {
    did.cut++;
    say("worker 1 is cut from the database");
    cut(true);
    await wait(options.cutMs);
    cut(false);
  };
  const troubles = [
    ...Array.from({ length: options.kills }, () => kill),
    ...Array.from({ length: options.freezes }, () => freeze),
    ...Array.from({ length: options.restarts }, () => crash),
    ...(options.cutMs > 0 ? [cutOff] : []),
  ];
  for (let at = troubles.length - 1; at > 0; at--) {
    const other = pickInteger(random, at + 1);
    [troubles[at], troubles[other]] = [troubles[other] as typeof kill, troubles[at] as typeof kill];
  }
  return troubles;
}
