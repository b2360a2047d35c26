import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  type Fleet,
  type FleetOptions,
  type NextVisit,
  openFleet,
  type SiteLease,
  type SiteResults,
} from "../../src/fleet/index.ts";

/** A fleet's database of a test's own. */
export interface TestDatabase extends AsyncDisposable {
  /** Opens it as one more process. */
  open(options?: Partial<FleetOptions>): Promise<Fleet>;
  /** Lets time go on for the database: moves all times that it holds back. */
  elapse(ms: number): Promise<void>;
}

const soon: NextVisit = { siteMs: 0, addressMs: 0, priority: 1 };

/** What a visit came to, that found nothing but what is given. */
export function resultsOf(given: Partial<SiteResults>): SiteResults {
  const nothing = { pages: [], gone: [], events: [], found: [], taken: [] };
  return { ...nothing, state: undefined, visit: undefined, next: undefined, ...given };
}

/** A worker of a test, with leases of a minute and ten seconds of delay. */
async function openWorkers(database: TestDatabase, ...names: readonly string[]) {
  const fleets = await Promise.all(
    names.map((worker) => database.open({ worker, leaseMs: 60_000, delayMs: 10_000, stateVersion: 1 })),
  );
  const dispose = async (): Promise<void> => {
    for (const fleet of fleets) await fleet[Symbol.asyncDispose]();
  };
  return Object.assign(fleets as [Fleet, Fleet, ...Fleet[]], { [Symbol.asyncDispose]: dispose });
}

async function addSites(fleet: Fleet, count: number, priority = 1): Promise<void> {
  await fleet.addSites(
    Array.from({ length: count }, (_, at) => ({ origin: `https://s${at}.test`, note: "", priority })),
  );
}

/** The first of what was claimed. */
async function claimOne(fleet: Fleet): Promise<SiteLease> {
  const [lease] = await fleet.claim(1);
  assert.ok(lease !== undefined, "nothing was claimed");
  return lease;
}

const originsOf = (leases: readonly SiteLease[]): string[] => leases.map(({ origin }) => origin);

/** Sees that a database keeps the promises of leases. */
export function testLeases(name: string, makeDatabase: () => Promise<TestDatabase>): void {
  const check = (title: string, act: (database: TestDatabase) => Promise<void>): void => {
    test(`${name}: ${title}`, { timeout: 60_000 }, async () => {
      await using database = await makeDatabase();
      await act(database);
    });
  };

  check("concurrent claims are disjoint, and leave nothing that is due", async (database) => {
    await using workers = await openWorkers(database, "a", "b", "c", "d");
    await addSites(workers[0], 90);
    const claims = await Promise.all(Array.from({ length: 12 }, (_, at) => (workers[at % 4] as Fleet).claim(10)));
    const rest = await workers[0].claim(100);
    const sites = [...claims.flat(), ...rest].map(({ site }) => site);
    assert.equal(sites.length, 90);
    assert.equal(new Set(sites).size, 90);
    assert.deepEqual(await workers[1].claim(100), []);
  });

  check("the highest priority is claimed first, then what was due first", async (database) => {
    await using workers = await openWorkers(database, "a");
    const [fleet] = workers;
    for (const [origin, priority] of [
      ["low", 0],
      ["first", 7],
      ["second", 7],
      ["high", 255],
    ] as const) {
      await fleet.addSites([{ origin: `https://${origin}.test`, note: `note of ${origin}`, priority }]);
      await database.elapse(10);
    }
    const leases = [...(await fleet.claim(2)), ...(await fleet.claim(5))];
    assert.deepEqual(
      originsOf(leases),
      ["high", "first", "second", "low"].map((word) => `https://${word}.test`),
    );
    const { site: _, ...lease } = leases[1] as SiteLease;
    assert.deepEqual(lease, {
      origin: "https://first.test",
      epoch: 1,
      address: undefined,
      note: "note of first",
      priority: 7,
      stateVersion: 0,
      stateBlocks: 0,
      stateEpoch: 0,
    });
    for (const one of [...leases].reverse()) {
      assert.equal(await fleet.release(one, { siteMs: 0, addressMs: 0, priority: one.priority }), true);
      await database.elapse(10);
    }
    assert.deepEqual(
      originsOf(await fleet.claim(9)),
      ["high", "second", "first", "low"].map((word) => `https://${word}.test`),
    );
  });

  check("a site's next visit is set at the claim: a crash delays it, and never frees it", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 1);
    const lost = await claimOne(a);
    await database.elapse(60_001);
    assert.deepEqual(await b.claim(1), []);
    await database.elapse(10_000);
    const lease = await claimOne(b);
    assert.deepEqual([lease.site, lease.epoch], [lost.site, 2]);
  });

  check("whose lease is lost can neither commit nor renew nor release", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 1);
    const lost = await claimOne(a);
    await database.elapse(70_001);
    const held = await claimOne(b);
    const page = { path: "/", size: 1, digest: "d", modified: 1, mediaType: "text/html", fetched: 1 };
    assert.equal(await a.commit(lost, resultsOf({ pages: [page], visit: "{}", next: soon })), false);
    assert.deepEqual(await a.renew([lost]), []);
    assert.equal(await a.release(lost, soon), false);
    assert.equal(await a.read(lost, { withState: true, handedAtMost: 1 }), undefined);
    // Not even with the epoch of the one that holds it.
    assert.equal(await a.release(held, soon), false);
    assert.equal(await b.commit(held, resultsOf({ next: soon })), true);
    assert.equal(await b.commit(held, resultsOf({})), false);
  });

  check(
    "a lease that ended cannot be renewed; what was found under it counts while nobody else has it",
    async (database) => {
      await using workers = await openWorkers(database, "a");
      const [a] = workers;
      await addSites(a, 1);
      const lease = await claimOne(a);
      await database.elapse(60_001);
      assert.deepEqual(await a.renew([lease]), []);
      assert.equal(await a.commit(lease, resultsOf({ next: soon })), true);
    },
  );

  check("a worker that has a site again cannot use its lease of before", async (database) => {
    await using workers = await openWorkers(database, "a");
    const [a] = workers;
    await addSites(a, 1);
    const lost = await claimOne(a);
    await database.elapse(70_001);
    const held = await claimOne(a);
    assert.equal(await a.commit(lost, resultsOf({ next: soon })), false);
    assert.equal(await a.commit(lost, resultsOf({})), false);
    assert.equal(await a.release(lost, soon), false);
    assert.deepEqual(await a.renew([lost]), []);
    assert.equal(await a.read(lost, { withState: true, handedAtMost: 1 }), undefined);
    assert.equal(await a.commit(held, resultsOf({ next: soon })), true);
  });

  check("a renewed lease is kept beyond its first end", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 2);
    const leases = await a.claim(2);
    await database.elapse(50_000);
    assert.deepEqual(await a.renew(leases.slice(0, 1)), leases.slice(0, 1));
    await database.elapse(15_000);
    assert.equal(await b.reap(), 1);
    assert.deepEqual(await b.claim(2), [], "the first is held, the second rests until ten seconds after its lease");
    await database.elapse(5001);
    assert.deepEqual(originsOf(await b.claim(2)), [leases[1]?.origin]);
    assert.equal(await a.release(leases[0] as SiteLease, soon), true);
    assert.equal(await a.release(leases[1] as SiteLease, soon), false);
    assert.deepEqual(originsOf(await b.claim(2)), [leases[0]?.origin]);
  });

  check("an address is held by one site at a time, and rests before the next", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 4);
    for (const lease of await a.claim(4)) {
      assert.equal((await a.renew([lease], new Map([[lease.site, "192.0.2.1"]])))[0]?.address, "192.0.2.1");
      assert.equal(await a.release(lease, { siteMs: 0, addressMs: 0, priority: 1 }), true);
    }
    const [first, ...others] = [...(await a.claim(4)), ...(await b.claim(4))];
    assert.ok(first !== undefined);
    assert.deepEqual([first.address, others.length], ["192.0.2.1", 0]);
    assert.equal(
      await a.commit(first, resultsOf({ next: { siteMs: 3_600_000, addressMs: 15_000, priority: 1 } })),
      true,
    );
    await database.elapse(14_000);
    assert.deepEqual(await b.claim(4), []);
    await database.elapse(1500);
    const second = await b.claim(4);
    assert.equal(second.length, 1);
    assert.deepEqual(await a.claim(4), []);
    // The worker dies: the address rests with its site.
    await database.elapse(65_000);
    assert.equal(await a.reap(), 1);
    assert.deepEqual(await a.claim(4), []);
    await database.elapse(6000);
    assert.equal((await a.claim(4)).length, 1);
  });

  check("an address is free again soon after a worker died that held two of its sites", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 2);
    const here = (lease: SiteLease): ReadonlyMap<number, string> => new Map([[lease.site, "192.0.2.1"]]);
    for (const lease of await a.claim(2)) assert.equal((await a.renew([lease], here(lease))).length, 1);
    await database.elapse(71_000);
    const [first, ...others] = await b.claim(2);
    assert.ok(first !== undefined && others.length === 0);
    await b.reap();
    await b.release(first, { siteMs: Number.POSITIVE_INFINITY, addressMs: 1000, priority: 1 });
    await database.elapse(1100);
    await b.reap();
    assert.equal((await b.claim(2)).length, 1);
  });

  check("who moves to an address that another holds, or that rests, gives the site back", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 3);
    const [one, two] = await a.claim(2);
    const three = await claimOne(b);
    assert.ok(one !== undefined && two !== undefined);
    const here = (lease: SiteLease): ReadonlyMap<number, string> => new Map([[lease.site, "192.0.2.1"]]);
    assert.equal((await a.renew([one], here(one))).length, 1);
    assert.equal((await a.renew([two], here(two))).length, 1, "one worker may hold several sites of an address");
    assert.deepEqual(await b.renew([three], here(three)), []);
    assert.equal(await b.release(three, soon), false);
    assert.equal(await a.release(one, { siteMs: 3_600_000, addressMs: 1000, priority: 1 }), true);
    assert.deepEqual(await b.claim(3), []);
    await database.elapse(1001);
    assert.deepEqual(await b.claim(3), [], "the other site is still held");
    assert.equal(await a.release(two, { siteMs: 3_600_000, addressMs: 1000, priority: 1 }), true);
    assert.deepEqual(await b.claim(3), []);
    await database.elapse(1001);
    assert.deepEqual(originsOf(await b.claim(3)), [three.origin]);
  });

  check("many sites of one address do not keep others from being claimed", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 200, 9);
    for (const lease of await a.claim(200)) {
      await a.renew([lease], new Map([[lease.site, "192.0.2.1"]]));
      await a.release(lease, { siteMs: 0, addressMs: 0, priority: 9 });
    }
    await a.addSites([{ origin: "https://other.test", note: "", priority: 1 }]);
    let held = await claimOne(a);
    let claimed: string[] = [];
    for (let turn = 0; turn < 60 && claimed.length === 0; turn++) claimed = originsOf(await b.claim(1));
    assert.deepEqual(claimed, ["https://other.test"]);
    // They are all visited, one after the other.
    const visited = new Set<number>();
    for (let turn = 0; turn < 200; turn++) {
      visited.add(held.site);
      await a.release(held, { siteMs: Number.POSITIVE_INFINITY, addressMs: 1000, priority: 9 });
      await database.elapse(1001);
      if (turn < 199) held = await claimOne(a);
    }
    assert.equal(visited.size, 200);
    assert.deepEqual(await a.outlook(), { due: 0, waiting: 0, held: 1 });
  });

  check("blocks of a state are replaced, and those beyond its end are dropped", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 1);
    const lease = await claimOne(a);
    const block = (number: number, fill: number) => ({ number, bytes: new Uint8Array(5000).fill(fill) });
    const state = { version: 1, blocks: 3, changed: [block(0, 1), block(1, 1), block(2, 255)] };
    assert.equal(await a.commit(lease, resultsOf({ state })), true);
    const changed = { version: 1, blocks: 2, changed: [block(1, 0)] };
    assert.equal(await a.commit(lease, resultsOf({ state: changed, next: soon })), true);
    const again = await claimOne(b);
    assert.deepEqual([again.stateVersion, again.stateBlocks, again.stateEpoch, again.epoch], [1, 2, 1, 2]);
    const read = await b.read(again, { withState: true, handedAtMost: 0 });
    assert.deepEqual(
      read?.blocks.map(({ number, bytes }) => [number, Buffer.from(bytes)]),
      [
        [0, Buffer.alloc(5000, 1)],
        [1, Buffer.alloc(5000, 0)],
      ],
    );
    assert.deepEqual((await b.read(again, { withState: false, handedAtMost: 0 }))?.blocks, []);
  });

  check("a site whose state is newer is left to newer workers", async (database) => {
    await using workers = await openWorkers(database, "old");
    const [old] = workers;
    await using fresh = await database.open({ worker: "new", stateVersion: 2 });
    await addSites(old, 2);
    const [lease] = await fresh.claim(1);
    assert.ok(lease !== undefined);
    const state = { version: 2, blocks: 1, changed: [{ number: 0, bytes: new Uint8Array(1) }] };
    await fresh.commit(lease, resultsOf({ state, next: soon }));
    const others = await old.claim(2);
    assert.deepEqual([others.length, others[0]?.site === lease.site], [1, false]);
    assert.deepEqual(originsOf(await fresh.claim(2)), [lease.origin]);
  });

  check("handed URLs are kept once, best first, until they are taken; unknown sites are added", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 1);
    const lease = await claimOne(a);
    const url = (path: string, priority: number) => ({
      origin: "https://new.test",
      path,
      note: `to ${path}`,
      priority,
    });
    const found = [url("/a", 1), url("/b", 200.4), url("/a", 3), url("/c", 2)];
    assert.equal(await a.commit(lease, resultsOf({ found })), true);
    assert.equal(await a.commit(lease, resultsOf({ found: [url("/c", 9)] })), true);
    const site = await claimOne(b);
    assert.deepEqual([site.origin, site.priority, site.note], ["https://new.test", 200, "to /b"]);
    const read = await b.read(site, { withState: true, handedAtMost: 2 });
    assert.deepEqual(
      read?.handed.map(({ id: _, ...rest }) => rest),
      [
        { path: "/b", note: "to /b", priority: 200.4 },
        { path: "/c", note: "to /c", priority: 2 },
      ],
    );
    const taken = read?.handed.map(({ id }) => id) ?? [];
    const next = { siteMs: Number.POSITIVE_INFINITY, addressMs: 1000, priority: 1 };
    assert.equal(await b.commit(site, resultsOf({ taken, next })), true);
    assert.deepEqual(await b.claim(1), []);
    await database.elapse(1001);
    const more = await claimOne(b);
    assert.deepEqual(
      (await b.read(more, { withState: true, handedAtMost: 9 }))?.handed.map(({ path }) => path),
      ["/a"],
      "what was left waits after the rest of the address",
    );
  });

  check("a URL that is handed makes its site due, also one that was never to be visited again", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 2);
    const [never, other] = await a.claim(2);
    assert.ok(never !== undefined && other !== undefined);
    await a.release(never, { siteMs: Number.POSITIVE_INFINITY, addressMs: 0, priority: 1 });
    await database.elapse(1000);
    assert.deepEqual(await a.outlook(), { due: 0, waiting: 0, held: 1 });
    await a.commit(other, resultsOf({ found: [{ origin: never.origin, path: "/x", note: "", priority: 1 }] }));
    assert.deepEqual(await a.outlook(), { due: 1, waiting: 0, held: 1 });
    const woken = await claimOne(b);
    assert.equal(woken.site, never.site);
    // While it is held, a URL does not shorten its lease, and is seen when it is given back.
    await a.commit(other, resultsOf({ found: [{ origin: never.origin, path: "/y", note: "", priority: 1 }] }));
    assert.deepEqual(await a.claim(1), []);
    const read = await b.read(woken, { withState: false, handedAtMost: 1 });
    const next = { siteMs: Number.POSITIVE_INFINITY, addressMs: 0, priority: 1 };
    await b.commit(woken, resultsOf({ taken: read?.handed.map(({ id }) => id) ?? [], next }));
    assert.deepEqual(originsOf(await a.claim(1)), [never.origin]);
    await b.addSites([{ origin: other.origin, note: "", priority: 3, path: "/z" }]);
    assert.equal((await a.read(other, { withState: false, handedAtMost: 5 }))?.handed[0]?.path, "/z");
  });

  check(
    "a site that is given up stays so, whatever URLs wait for it, until a further one is handed on",
    async (database) => {
      await using workers = await openWorkers(database, "a", "b");
      const [a, b] = workers;
      await addSites(a, 2);
      const [site, other] = await a.claim(2);
      assert.ok(site !== undefined && other !== undefined);
      const hand = async (path: string): Promise<boolean> =>
        await a.commit(other, resultsOf({ found: [{ origin: site.origin, path, note: "", priority: 1 }] }));
      await hand("/x");
      // Whoever finds no site looks for those that URLs were handed to.
      assert.deepEqual(await b.claim(1), []);
      await a.release(site, { siteMs: Number.POSITIVE_INFINITY, addressMs: 0, priority: 1 });
      await database.elapse(10_000);
      await a.renew([other]);
      assert.deepEqual(await b.claim(1), []);
      await hand("/x");
      assert.deepEqual(await b.claim(1), []);
      await hand("/y");
      const again = await claimOne(b);
      assert.equal(again.site, site.site);
      assert.equal((await b.read(again, { withState: false, handedAtMost: 5 }))?.handed.length, 2);
    },
  );

  check("a URL that is handed does not bring the visit of a site forward that rests", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 2);
    const [away, other] = await a.claim(2);
    assert.ok(away !== undefined && other !== undefined);
    const next = { siteMs: 30_000, addressMs: 0, priority: 1 };
    // While it is held, and after it was given back.
    await a.commit(other, resultsOf({ found: [{ origin: away.origin, path: "/x", note: "", priority: 1 }] }));
    await a.commit(away, resultsOf({ next }));
    await a.commit(other, resultsOf({ found: [{ origin: away.origin, path: "/y", note: "", priority: 1 }] }));
    assert.deepEqual(await b.claim(1), []);
    await database.elapse(20_000);
    await a.renew([other]);
    assert.deepEqual(await b.claim(1), []);
    await database.elapse(10_000);
    assert.deepEqual(originsOf(await b.claim(1)), [away.origin]);
  });

  check("a URL whose page is stored is not handed again, until the page is gone", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 2);
    const [known, other] = await a.claim(2);
    assert.ok(known !== undefined && other !== undefined);
    const page = { path: "/x", size: 1, digest: "d", modified: 1, mediaType: "text/html", fetched: 1 };
    const next = { siteMs: Number.POSITIVE_INFINITY, addressMs: 0, priority: 1 };
    await a.commit(known, resultsOf({ pages: [page], next }));
    const found = ["/x", "/y"].map((path) => ({ origin: known.origin, path, note: "", priority: 1 }));
    await a.commit(other, resultsOf({ found: found.slice(0, 1) }));
    assert.deepEqual(await b.claim(1), []);
    await a.commit(other, resultsOf({ found }));
    const again = await claimOne(b);
    const read = await b.read(again, { withState: false, handedAtMost: 5 });
    assert.deepEqual(
      read?.handed.map(({ path }) => path),
      ["/y"],
    );
    await b.commit(again, resultsOf({ gone: ["/x"], taken: read?.handed.map(({ id }) => id) ?? [], next }));
    await a.commit(other, resultsOf({ found: found.slice(0, 1) }));
    assert.deepEqual(originsOf(await b.claim(1)), [known.origin]);
  });

  check("while it is paused nobody claims, and a worker that is to end claims nothing", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 3);
    await b.pause(true);
    assert.deepEqual(await a.claim(1), []);
    assert.deepEqual(await a.report({ pages: 3 }), { isPaused: true, isDraining: false });
    await b.pause(false);
    assert.equal(await b.drain("a"), true);
    assert.equal(await b.drain("nobody"), false);
    assert.deepEqual(await a.report({}), { isPaused: false, isDraining: true });
    assert.deepEqual(await a.claim(1), []);
    assert.equal((await b.claim(3)).length, 3);
  });

  check("a worker's clock changes nothing", async (database) => {
    await using workers = await openWorkers(database, "a", "b");
    const [a, b] = workers;
    await addSites(a, 1);
    const clock = Date.now;
    try {
      Date.now = () => clock() + 3_600_000;
      const lease = await claimOne(a);
      assert.ok(Math.abs((await a.now()) - clock()) < 600_000);
      assert.deepEqual(await b.claim(1), []);
      await a.release(lease, { siteMs: 60_000, addressMs: 0, priority: 1 });
      Date.now = () => clock() + 7_200_000;
      assert.deepEqual(await b.claim(1), []);
    } finally {
      Date.now = clock;
    }
    await database.elapse(60_001);
    assert.equal((await b.claim(1)).length, 1);
  });

  check("whatever the web holds is kept, or cut to what a database can hold", async (database) => {
    await using workers = await openWorkers(database, "a");
    const [a] = workers;
    await addSites(a, 1);
    const lease = await claimOne(a);
    const long = `/${"x".repeat(7999)}`;
    const page = {
      path: long,
      size: 1e300,
      digest: "\0",
      modified: Number.NaN,
      mediaType: "a\0b\ud800",
      fetched: -1e300,
    };
    const other = { ...page, path: `${long.slice(0, -1)}y`, size: Number.POSITIVE_INFINITY };
    const found = [
      { origin: "https://new.test", path: long, note: "\0".repeat(9000), priority: Number.NaN },
      { origin: "https://new.test", path: `${long}z`, note: "", priority: 1 },
      { origin: `https://${"n".repeat(400)}.test`, path: "/", note: "", priority: 1 },
      { origin: "https://new.test\0", path: "/", note: "", priority: Number.POSITIVE_INFINITY },
    ];
    const results = resultsOf({
      pages: [page, other, page],
      gone: ["/\0gone", long],
      events: [{ path: "\0", kind: "updated", at: 1e20 }],
      found,
      visit: JSON.stringify({ text: "\0\ud800", count: Number.MAX_VALUE }),
      next: { siteMs: Number.NaN, addressMs: 1e300, priority: Number.NEGATIVE_INFINITY },
    });
    assert.equal(await a.commit(lease, results), true);
    const leases = await a.claim(5);
    assert.deepEqual(originsOf(leases).sort(), ["https://new.test", "https://s0.test"]);
    const added = leases.find(({ origin }) => origin === "https://new.test") as SiteLease;
    const { handed } = (await a.read(added, { withState: true, handedAtMost: 9 })) ?? {};
    assert.deepEqual(
      handed?.map(({ path, priority }) => [path.length, priority]),
      [[8000, 0]],
    );
    await a.addSites([{ origin: "https://n.test\0", note: "", priority: 1 }]);
    assert.deepEqual(await a.claim(5), []);
  });

  check("a commit is all or nothing", async (database) => {
    await using workers = await openWorkers(database, "a");
    const [a] = workers;
    await addSites(a, 1);
    const lease = await claimOne(a);
    const state = { version: 1, blocks: 1, changed: [{ number: 0, bytes: new Uint8Array(9) }] };
    const found = [{ origin: "https://new.test", path: "/", note: "", priority: 1 }];
    await assert.rejects(a.commit(lease, resultsOf({ state, found, visit: "{", next: soon })));
    assert.deepEqual(await a.read(lease, { withState: true, handedAtMost: 1 }), { blocks: [], handed: [] });
    assert.deepEqual(await a.claim(2), []);
  });

  check("URLs that wait for a site are bounded", async (database) => {
    await using workers = await openWorkers(database, "a");
    const [a] = workers;
    await addSites(a, 1);
    const lease = await claimOne(a);
    const found = Array.from({ length: 10_005 }, (_, at) => ({
      origin: "https://new.test",
      path: `/${at}`,
      note: "",
      priority: at,
    }));
    await a.commit(lease, resultsOf({ found: found.slice(0, 9000) }));
    await a.commit(lease, resultsOf({ found }));
    const site = await claimOne(a);
    const read = await a.read(site, { withState: false, handedAtMost: 20_000 });
    assert.equal(read?.handed.length, 10_000);
  });
}

/** Lets processes lease sites from a database, and sees by their own words that no two visited a site or an address at once. */
export async function testProcesses(address: string, visitsOfEach: number): Promise<void> {
  const sites = 40;
  await using fleet = await openFleet(address, { worker: "who adds sites" });
  await addSites(fleet, sites);
  const program = new URL("lease-worker.js", import.meta.url).pathname;
  const run = promisify(execFile);
  const outputs = await Promise.all(
    ["one", "two", "three", "four"].map(async (name) =>
      run(process.execPath, [program, address, name, String(sites), String(visitsOfEach)], { timeout: 50_000 }),
    ),
  );
  const visits = outputs.flatMap(({ stdout }) => stdout.split("\n").slice(0, -1)).map((line) => line.split(" "));
  assert.ok(visits.length >= 4 * visitsOfEach);
  const byAddress = new Map<string, [number, number][]>();
  for (const [, , address = "", begun, ended] of visits) {
    const spans = byAddress.get(address) ?? [];
    byAddress.set(address, spans);
    spans.push([Number(begun), Number(ended)]);
  }
  assert.equal(byAddress.size, sites / 4);
  for (const [address, spans] of byAddress) {
    spans.sort(([a], [b]) => a - b);
    for (const [at, [begun]] of spans.entries()) {
      const [, ended] = spans[at - 1] ?? [0, Number.NEGATIVE_INFINITY];
      // Times of a file are whole milliseconds.
      assert.ok(begun >= ended + 18, `${address} was visited ${begun - ended} ms after the visit before`);
    }
  }
}

/** Sees that a fleet of `fixtures/fleet` goes on: its leases, what is known of its sites, what waits for them. */
export async function testEarlierFleet(address: string): Promise<void> {
  const opened = await Promise.all(["a", "b", "c"].map(async (worker) => openFleet(address, { worker })));
  const [a] = opened as [Fleet, ...Fleet[]];
  try {
    assert.deepEqual(await a.outlook(), { due: 2, waiting: 0, held: 2 });
    const leases = await a.claim(5);
    assert.deepEqual(originsOf(leases), ["https://four.example", "https://three.example"]);
    const [four] = leases as [SiteLease];
    assert.deepEqual(
      (await a.read(four, { withState: true, handedAtMost: 5 }))?.handed.map(({ path }) => path),
      ["/x"],
    );
    // The worker that joined before goes on too.
    const old = await openFleet(address, { worker: "old" });
    opened.push(old);
    const one: SiteLease = { ...four, site: 1, origin: "https://one.example", epoch: 2 };
    const reading = await old.read(one, { withState: true, handedAtMost: 1 });
    assert.equal(Buffer.from(reading?.blocks[0]?.bytes ?? []).toString(), "state");
    assert.equal(await old.commit(one, resultsOf({ next: soon })), true);
    assert.equal(await a.reap(), 0);
  } finally {
    for (const fleet of opened) await fleet[Symbol.asyncDispose]();
  }
}
