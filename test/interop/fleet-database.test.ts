import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import postgres, { type Sql } from "postgres";
import { type Fleet, openFleet } from "../../src/fleet/index.ts";
import { PostgresConnection } from "../../src/fleet/leases/postgres-connection.ts";
import { formatFleetMetrics } from "../../src/report/index.ts";
import { resultsOf, testEarlierFleet, testProcesses } from "../fleet/lease-cases.ts";
import { type PostgresServer, startPostgres } from "../postgres-server.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { type Cut, CuttingProxy } from "./cutting-proxy.ts";
import { requireProgram, skipWithout } from "./programs.ts";

const visit = "{}";
const again = { siteMs: 0, addressMs: 0, priority: 1 };

async function addSites(fleet: Fleet, count: number): Promise<void> {
  await fleet.addSites(
    Array.from({ length: count }, (_, at) => ({ origin: `https://s${at}.test`, note: "", priority: 1 })),
  );
}

describe("the database of a fleet", { timeout: 120_000, skip: skipWithout("pg_ctlcluster") }, () => {
  const folder = makeTempFolder("fleet");
  let server: PostgresServer;
  let sql: Sql;

  before(async () => {
    server = await startPostgres(folder.path);
    sql = postgres(server.url, { max: 1, onnotice: () => undefined, backoff: () => 0 });
  });

  after(async () => {
    await sql.end();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  const countVisits = async (schema: string): Promise<number> => {
    const [row] = await sql<{ count: number }[]>`SELECT count(*)::integer AS count FROM ${sql(`${schema}.visit`)}`;
    return row?.count ?? 0;
  };

  it("wakes a site that waits for an address, also while somebody has locked its row", async () => {
    const url = `${server.url}?schema=woken`;
    await using a = await openFleet(url, { worker: "a" });
    await using b = await openFleet(url, { worker: "b" });
    await addSites(a, 2);
    const [one] = await a.claim(1);
    const [two] = await b.claim(1);
    assert.ok(one !== undefined && two !== undefined);
    assert.equal((await a.renew([one], new Map([[one.site, "192.0.2.1"]]))).length, 1);
    assert.equal((await b.renew([two], new Map([[two.site, "192.0.2.1"]]))).length, 0);
    let released: Promise<boolean> | undefined;
    await sql.begin(async (held) => {
      await held`SELECT FROM woken.site WHERE id = ${two.site} FOR UPDATE`;
      released = a.release(one, { siteMs: Number.POSITIVE_INFINITY, addressMs: 0, priority: 1 });
      // It has come to the row that is locked, or has passed it by.
      await Promise.race([released, new Promise((resolve) => setTimeout(resolve, 500))]);
    });
    assert.equal(await released, true);
    assert.deepEqual(
      (await b.claim(2)).map(({ site }) => site),
      [two.site],
    );
  });

  it("knows what became of a commit whose answer was lost, and of one that was lost itself", async () => {
    await using proxy = new CuttingProxy(Number(new URL(server.url).port));
    await proxy.listen();
    const url = `postgres://tidemark@127.0.0.1:${proxy.port}/postgres?schema=cut`;
    await using fleet = await openFleet(url, { worker: "a", attemptMs: 1000 });
    await addSites(fleet, 1);
    const cuts: readonly Cut[] = ["answer", "commit", "silence", "answer", "commit"];
    for (const [at, cut] of cuts.entries()) {
      proxy.next = cut;
      const [lease] = await fleet.claim(1);
      assert.ok(lease !== undefined, `a claim whose ${cut} was lost`);
      assert.equal(lease.epoch, at + 1);
      proxy.next = cut;
      assert.equal(await fleet.commit(lease, resultsOf({ visit, next: again })), true, cut);
      assert.equal(await countVisits("cut"), at + 1);
    }
    assert.equal(proxy.cuts, 2 * cuts.length);
    // Where the server cannot be reached for too long, it is said.
    await using hasty = await openFleet(url, { worker: "b", attemptMs: 500, retryMs: 0 });
    proxy.next = "commit";
    await assert.rejects(hasty.claim(1), { code: "site-unavailable" });
  });

  it("reads a state over a slow line, however long all of it takes", async () => {
    await using proxy = new CuttingProxy(Number(new URL(server.url).port));
    await proxy.listen();
    const address = `postgres://tidemark@127.0.0.1:${proxy.port}/postgres?schema=slow`;
    await using fleet = await openFleet(address, { worker: "a", attemptMs: 3000, retryMs: 0 });
    await addSites(fleet, 1);
    const [lease] = await fleet.claim(1);
    assert.ok(lease !== undefined);
    const changed = Array.from({ length: 200 }, (_, number) => ({ number, bytes: randomBytes(32 * 1024) }));
    await fleet.commit(lease, resultsOf({ state: { version: 1, blocks: changed.length, changed } }));
    proxy.bytesPerSecond = 3e6;
    const read = await fleet.read(lease, { withState: true, handedAtMost: 1 });
    assert.deepEqual(
      read?.blocks.map(({ number, bytes }) => [number, Buffer.from(bytes)]),
      changed.map(({ number, bytes }) => [number, bytes]),
    );
    assert.equal((await fleet.read(lease, { withState: false, handedAtMost: 1 }))?.blocks.length, 0);
  });

  it("restarts: what was committed is there once, and nothing that was not", async () => {
    const url = `${server.url}?schema=restarted`;
    const fleets = await Promise.all(["a", "b", "c", "d"].map(async (worker) => openFleet(url, { worker })));
    await addSites(fleets[0] as Fleet, 50);
    let isOver = false;
    let commits = 0;
    const work = async (fleet: Fleet): Promise<void> => {
      while (!isOver)
        for (const lease of await fleet.claim(2))
          if (await fleet.commit(lease, resultsOf({ visit, next: again }))) commits++;
    };
    const working = fleets.map(work);
    for (let restart = 0; restart < 2; restart++) {
      const before = commits;
      server.restart();
      for (let turn = 0; turn < 400 && commits < before + 200; turn++)
        await new Promise((resolve) => setTimeout(resolve, 20));
      assert.ok(commits >= before + 200, "work goes on");
    }
    isOver = true;
    await Promise.all(working);
    for (const fleet of fleets) await fleet[Symbol.asyncDispose]();
    assert.equal(await countVisits("restarted"), commits);
  });

  it("crashes before a transaction left a trace: its number is not known, and it is done again", async () => {
    const patience = { retryMs: 30_000, attemptMs: 10_000, signal: undefined, onWait: undefined };
    await using connection = new PostgresConnection(new URL(server.url), "public", patience);
    const numbers: string[] = [];
    const done = await connection.transact(async (one) => {
      const [row] = await one<{ id: string }[]>`SELECT pg_current_xact_id()::text AS id`;
      numbers.push(row?.id ?? "");
      if (numbers.length === 1) server.restart();
      return numbers.length;
    });
    assert.equal(done, 2);
    // As the test assumes: it is given again.
    assert.equal(numbers[1], numbers[0]);
  });

  it("is used by processes that never visit an address at once", async () => {
    await testProcesses(`${server.url}?schema=processes`, 100);
  });

  it("of the first version is brought to the newest by one of several, with the leases that are held in it", async () => {
    const dump = join(repositoryFolder(), "fixtures/fleet/postgres-1.sql");
    execFileSync(requireProgram("psql"), ["-q", "-v", "ON_ERROR_STOP=1", server.url], {
      input: readFileSync(dump),
      stdio: "pipe",
    });
    await sql`UPDATE tidemark_fleet.site SET lease_until = now() + interval '1 minute', next_at = now() + interval '70 s'
      WHERE owner = 'old'`;
    await testEarlierFleet(server.url);
  });

  it("gets columns while workers of this version run beside newer ones, until one needs more", async () => {
    const url = `${server.url}?schema=newer`;
    const fleets = await Promise.all(["a", "b"].map(async (worker) => openFleet(url, { worker })));
    await addSites(fleets[0] as Fleet, 20);
    let isOver = false;
    let commits = 0;
    const found = [{ origin: "https://found.test", path: "/", note: "", priority: 1 }];
    const work = async (fleet: Fleet): Promise<void> => {
      while (!isOver)
        for (const lease of await fleet.claim(2))
          if (await fleet.commit(lease, resultsOf({ visit, found, next: again }))) commits++;
    };
    const working = fleets.map(work);
    const tables = ["site", "address", "visit", "page", "handed_url", "site_state", "site_origin", "worker", "fleet"];
    for (const table of tables)
      await sql`ALTER TABLE ${sql(`newer.${table}`)} ADD COLUMN newer integer NOT NULL DEFAULT 1`;
    await sql`UPDATE newer.fleet SET schema_version = 99`;
    const before = commits;
    await using late = await openFleet(url, { worker: "late" });
    await late.outlook();
    for (let turn = 0; turn < 400 && commits < before + 50; turn++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    isOver = true;
    await Promise.all(working);
    for (const fleet of fleets) await fleet[Symbol.asyncDispose]();
    assert.ok(commits >= before + 50, "work goes on");
    assert.equal(await countVisits("newer"), commits);
    await sql`UPDATE newer.fleet SET needs_version = 99`;
    await assert.rejects(openFleet(url, { worker: "c" }), { code: "state-version" });
  });

  it("waits for no lock, no statement and no worker for ever, and gives a process few connections", async () => {
    const url = `${server.url}?schema=bounded`;
    await using fleet = await openFleet(url, { worker: "a" });
    await addSites(fleet, 50);
    await Promise.all(Array.from({ length: 50 }, async () => fleet.claim(1)));
    const connections = await sql`SELECT FROM pg_stat_activity WHERE application_name = 'tidemark'`;
    assert.ok(connections.length <= 4, `${connections.length} connections`);
    await using hasty = await openFleet(url, { worker: "b", attemptMs: 1000, retryMs: 0 });
    await sql.begin(async (own) => {
      await own`LOCK TABLE bounded.site`;
      await assert.rejects(hasty.claim(1), { code: "site-unavailable", message: /lock timeout/ });
    });
  });

  it("has metrics that promtool finds nothing wrong with", { skip: skipWithout("promtool") }, async () => {
    const url = `${server.url}?schema=metrics`;
    await using fleet = await openFleet(url, { worker: 'a "1"\n', version: "0.1.0" });
    await addSites(fleet, 3);
    await fleet.claim(2);
    await fleet.report({
      visits: 7,
      failedVisits: 1,
      pageRequests: 80,
      pageBytes: 1e9,
      created: 5,
      updated: 2,
      deleted: 1,
    });
    const status = await fleet.status();
    const [worker] = status.workers;
    assert.deepEqual([status.due, status.held, worker?.held, worker?.counts.visits], [1, 2, 2, 7]);
    const text = formatFleetMetrics(status, "prometheus");
    execFileSync(requireProgram("promtool"), ["check", "metrics"], { input: text, timeout: 10_000 });
  });

  it("drops visits and events that are older than the fleet keeps them", async () => {
    const url = `${server.url}?schema=history`;
    await using fleet = await openFleet(url, { worker: "a" });
    await addSites(fleet, 1);
    const [lease] = await fleet.claim(1);
    assert.ok(lease !== undefined);
    const nowSeconds = Math.floor((await fleet.now()) / 1000);
    const events = [0, 500].map((days) => ({ path: "/", kind: "updated" as const, at: nowSeconds - days * 86_400 }));
    await fleet.commit(lease, resultsOf({ visit, events }));
    await fleet.commit(lease, resultsOf({ visit }));
    await sql`UPDATE history.visit SET at = at - interval '401 days' WHERE id = 1`;
    await fleet.reap();
    assert.deepEqual([...(await sql`SELECT id::integer FROM history.visit`)], [{ id: 2 }]);
    assert.deepEqual([...(await sql`SELECT id::integer FROM history.web_event`)], [{ id: 1 }]);
  });
});
