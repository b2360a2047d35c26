import assert from "node:assert/strict";
import type { Fleet, SiteLease } from "../../src/fleet/index.ts";
import { fc } from "../property.ts";
import { resultsOf, type TestDatabase } from "./lease-cases.ts";

/** Times of the model are in units so long that a test takes none. */
const unitMs = 100_000;
const leaseUnits = 6;
const delayUnits = 1;
const workers = ["a", "b", "c"] as const;

/** What one worker does at one moment. */
interface Step {
  readonly worker: number;
  readonly verb: "claim" | "commit" | "release" | "renew" | "move" | "reap" | "elapse" | "hand";
  /** Which of the leases that were ever given, or how many units or sites. */
  readonly pick: number;
  readonly units: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  worker: fc.nat(workers.length - 1),
  verb: fc.constantFrom("claim", "claim", "commit", "release", "renew", "move", "reap", "elapse", "elapse", "hand"),
  pick: fc.nat(30),
  units: fc.nat(8),
});

interface ModelSite {
  epoch: number;
  owner: number | undefined;
  until: number;
  /** No claim before. */
  notBefore: number;
  address: string | undefined;
  handed: Set<string>;
  /** Given back for ever, although URLs wait: it may be visited for them, and need not. */
  isGivenUp: boolean;
}

/** What is known of a fleet from the answers that it gave: it says what they may be. */
class LeaseModel {
  readonly sites = new Map<string, ModelSite>();
  readonly given: Array<{ readonly worker: number; lease: SiteLease }> = [];
  readonly #freeAt = new Map<string, number>();
  now = 0;

  add(origin: string): ModelSite {
    const site = {
      epoch: 0,
      owner: undefined,
      until: 0,
      notBefore: this.now,
      address: undefined,
      handed: new Set<string>(),
      isGivenUp: false,
    };
    this.sites.set(origin, site);
    return site;
  }

  of(origin: string): ModelSite {
    const site = this.sites.get(origin);
    assert.ok(site !== undefined, origin);
    return site;
  }

  /** Whether a lease must be held, cannot be, or ended without anybody's notice. */
  holds(worker: number, { origin, epoch }: SiteLease): boolean | undefined {
    const site = this.of(origin);
    if (site.owner !== worker || site.epoch !== epoch) return false;
    return this.now < site.until ? true : undefined;
  }

  isBusy(address: string, except?: { readonly worker: number; readonly origin: string }): boolean {
    if ((this.#freeAt.get(address) ?? 0) > this.now) return true;
    return [...this.sites].some(
      ([origin, site]) =>
        site.address === address &&
        site.owner !== undefined &&
        site.owner !== except?.worker &&
        origin !== except?.origin &&
        this.now < site.until + delayUnits,
    );
  }

  claim(worker: number, atMost: number, leases: readonly SiteLease[]): void {
    assert.ok(leases.length <= atMost);
    const isFree = ({ notBefore }: ModelSite): boolean => notBefore <= this.now;
    const certain = [...this.sites].filter(
      ([, site]) => isFree(site) && site.address === undefined && site.handed.size === 0,
    );
    if (leases.length < atMost)
      for (const [origin] of certain)
        assert.ok(
          leases.some((lease) => lease.origin === origin),
          `${origin} is due and was not claimed`,
        );
    for (const lease of leases) {
      const site = this.of(lease.origin);
      assert.ok(isFree(site), `${lease.origin} was claimed before its time`);
      assert.equal(lease.address, site.address);
      if (site.address !== undefined) assert.ok(!this.isBusy(site.address), `${site.address} was busy`);
      assert.equal(lease.epoch, site.epoch + 1);
      const until = this.now + leaseUnits;
      Object.assign(site, {
        epoch: lease.epoch,
        owner: worker,
        isGivenUp: false,
        until,
        notBefore: until + delayUnits,
      });
      this.given.push({ worker, lease });
    }
  }

  give(lease: SiteLease, siteUnits: number, addressUnits: number): void {
    const site = this.of(lease.origin);
    const wakes = siteUnits === Number.POSITIVE_INFINITY && site.handed.size > 0;
    site.owner = undefined;
    site.notBefore = this.now + (wakes ? 0 : siteUnits);
    const { address } = site;
    if (address !== undefined)
      this.#freeAt.set(address, Math.max(this.#freeAt.get(address) ?? 0, this.now + addressUnits));
  }

  renew(lease: SiteLease): void {
    const until = this.now + leaseUnits;
    Object.assign(this.of(lease.origin), { until, notBefore: until + delayUnits });
  }

  reap(): void {
    for (const site of this.sites.values()) {
      if (site.owner === undefined || this.now < site.until) continue;
      site.owner = undefined;
      if (site.address !== undefined)
        this.#freeAt.set(site.address, Math.max(this.#freeAt.get(site.address) ?? 0, site.until + delayUnits));
    }
  }
}

/** Lets workers do things in any order, and sees that each answer is one that leases allow. */
async function replay(database: TestDatabase, steps: readonly Step[]): Promise<void> {
  const model = new LeaseModel();
  const options = { leaseMs: leaseUnits * unitMs, delayMs: delayUnits * unitMs };
  const fleets = await Promise.all(workers.map(async (worker) => database.open({ worker, ...options })));
  const priority = 1;
  try {
    const [first] = fleets as [Fleet, ...Fleet[]];
    const origins = Array.from({ length: 8 }, (_, at) => `https://s${at}.test`);
    await first.addSites(origins.map((origin) => ({ origin, note: "", priority })));
    for (const origin of origins) model.add(origin);
    for (const { worker, verb, pick, units } of steps) {
      const fleet = fleets[worker] as Fleet;
      const chosen = model.given[pick % Math.max(1, model.given.length)];
      if (verb === "claim") model.claim(worker, 1 + (pick % 4), await fleet.claim(1 + (pick % 4)));
      else if (verb === "elapse") {
        await database.elapse(units * unitMs);
        model.now += units;
      } else if (verb === "reap") {
        await fleet.reap();
        model.reap();
      } else if (chosen !== undefined) await useLease(verb, chosen.lease, { model, fleet, worker, pick, units });
    }
    // Whoever died: in the end each site is visited once more that was not given up.
    const left = new Set(
      [...model.sites].flatMap(([origin, { notBefore, isGivenUp }]) =>
        notBefore < Infinity && !isGivenUp ? [origin] : [],
      ),
    );
    for (let turn = 0; turn < 40 && left.size > 0; turn++) {
      await database.elapse(40 * unitMs);
      await first.reap();
      for (const lease of await first.claim(20)) {
        left.delete(lease.origin);
        await first.release(lease, { siteMs: Number.POSITIVE_INFINITY, addressMs: 0, priority });
      }
    }
    assert.deepEqual([...left], []);
  } finally {
    for (const fleet of fleets) await fleet[Symbol.asyncDispose]();
  }
}

interface LeaseUse {
  readonly model: LeaseModel;
  readonly fleet: Fleet;
  readonly worker: number;
  readonly pick: number;
  readonly units: number;
}

async function useLease(
  verb: Step["verb"],
  lease: SiteLease,
  { model, fleet, worker, pick, units }: LeaseUse,
): Promise<void> {
  const isHeld = model.holds(worker, lease);
  const site = model.of(lease.origin);
  const agree = (answer: boolean): boolean => {
    if (isHeld !== undefined) assert.equal(answer, isHeld, `${verb} of ${lease.origin} in epoch ${lease.epoch}`);
    return answer;
  };
  const siteUnits = pick % 4 === 3 ? Number.POSITIVE_INFINITY : units;
  const next = { siteMs: siteUnits * unitMs, addressMs: (pick % 3) * unitMs, priority: 1 };
  if (verb === "release") {
    if (!agree(await fleet.release(lease, next))) return;
    model.give(lease, siteUnits, pick % 3);
    site.isGivenUp = siteUnits === Number.POSITIVE_INFINITY && site.handed.size > 0;
  } else if (verb === "commit") {
    const read = await fleet.read(lease, { withState: false, handedAtMost: 100 });
    if (read !== undefined) assert.deepEqual(new Set(read.handed.map(({ path }) => path)), site.handed);
    const taken = read?.handed.map(({ id }) => id) ?? [];
    if (!agree(await fleet.commit(lease, resultsOf({ taken, visit: "{}", next })))) return;
    site.handed.clear();
    model.give(lease, siteUnits, pick % 3);
  } else if (verb === "hand") {
    const found = [{ origin: `https://f${units}.test`, path: `/${pick}`, note: "", priority: 1 }];
    if (!agree(await fleet.commit(lease, resultsOf({ found })))) return;
    const [{ origin, path }] = found as [(typeof found)[0]];
    const target = model.sites.get(origin) ?? model.add(origin);
    if (target.notBefore === Number.POSITIVE_INFINITY) target.notBefore = model.now;
    if (!target.handed.has(path)) target.isGivenUp = false;
    target.handed.add(path);
  } else {
    const address = verb === "move" ? `192.0.2.${pick % 3}` : (site.address ?? "");
    const isRefused =
      verb === "move" && address !== site.address && model.isBusy(address, { worker, origin: lease.origin });
    const asked = verb === "move" ? new Map([[lease.site, address]]) : undefined;
    const [renewed] = await fleet.renew([lease], asked);
    assert.equal(renewed !== undefined, isHeld === true && !isRefused, `${verb} to ${address}`);
    if (isHeld !== true) return;
    if (verb === "move") site.address = address;
    if (renewed !== undefined) model.renew(lease);
    else Object.assign(site, { owner: undefined, notBefore: model.now });
  }
}

/** Sees that any steps of several workers agree with the model. */
export async function testLeaseModel(makeDatabase: () => Promise<TestDatabase>, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      await using database = await makeDatabase();
      await replay(database, steps);
    }),
    // A slow machine does less of it; a failure is told before the runner loses patience with the search for a shorter one.
    { numRuns: runs, interruptAfterTimeLimit: 40_000 },
  );
}
