import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { VisitPlan } from "../../../src/core/site-record.ts";
import { unvisited, type VisitEnd } from "../../../src/crawler/engine/visit-plan.ts";
import { SiteFollower } from "../../../src/crawler/follow/site-follower.ts";
import { SiteScheduler } from "../../../src/crawler/follow/site-scheduler.ts";
import { VirtualTime } from "../engine/order/virtual-time.ts";
import { done } from "../engine/visit-end.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

interface Begun {
  readonly site: string;
  readonly at: number;
}

/** Follows sites in virtual time; a visit takes as long as `workMs` says, in steps at which it asks whether to go on. */
class Trial {
  readonly time = new VirtualTime();
  readonly scheduler = new SiteScheduler();
  readonly plans = new Map<string, VisitPlan>();
  readonly begun: Begun[] = [];
  readonly cut: string[] = [];
  readonly stop = new AbortController();
  mostOpen = 0;
  /** Time before the first page, in which nobody asks whether to go on. */
  listsMs = 0;
  /** How far the clock was set forward. */
  skewMs = 0;
  workMs: (site: string) => number = () => 1000;
  isByLength = false;
  endOf: (site: string) => VisitEnd | Promise<VisitEnd> = () => ({ kind: "failed", error: undefined, isOurs: false });
  readonly follower: SiteFollower;
  #open = 0;

  constructor(options: { visitsAtOnce: number; isForever?: boolean }) {
    const { time, scheduler, plans } = this;
    this.follower = new SiteFollower({
      timing: { now: () => time.now() + this.skewMs, delay: (ms, signal) => time.delay(ms, signal) },
      random: () => 0.5,
      scheduler,
      plans: { read: (site) => plans.get(site), write: (site, plan) => plans.set(site, plan as VisitPlan) },
      sites: { boundsOf: () => ({ mostMs: 10 * minute }), isByLength: () => this.isByLength },
      isForever: true,
      ...options,
      visit: (site, { mayGoOn }) => this.#visit(site, mayGoOn),
    });
  }

  get now(): number {
    return this.time.now();
  }

  async run(forMs: number): Promise<void> {
    const over = this.time.delay(forMs).then(() => this.stop.abort());
    await this.time.run(Promise.all([this.follower.run(this.stop.signal), over]));
  }

  visitsOf(site: string): number {
    return this.begun.filter((one) => one.site === site).length;
  }

  async #visit(site: string, mayGoOn: () => boolean): Promise<VisitEnd> {
    this.begun.push({ site, at: this.now });
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    try {
      if (this.listsMs > 0) {
        await this.time.delay(this.listsMs);
        if (!mayGoOn()) return await this.endOf(site);
      }
      for (let left = this.workMs(site); left > 0; left -= 1000) {
        await this.time.delay(Math.min(1000, left));
        if (mayGoOn()) continue;
        this.cut.push(site);
        break;
      }
      return await this.endOf(site);
    } finally {
      this.#open--;
    }
  }
}

describe("SiteFollower", () => {
  it("visits every site, so many at a time and no more", async () => {
    const trial = new Trial({ visitsAtOnce: 3 });
    for (let site = 0; site < 10; site++) trial.scheduler.add(`s${site}`, trial.now);
    await trial.run(60 * minute);
    assert.equal(trial.mostOpen, 3);
    for (let site = 0; site < 10; site++) assert.ok(trial.visitsOf(`s${site}`) >= 5, `s${site}`);
  });

  it("is not kept by sites that never end: they have their slice where others wait", async () => {
    const trial = new Trial({ visitsAtOnce: 2 });
    trial.workMs = (site) => (site.startsWith("endless") ? 365 * day : 1000);
    for (const site of ["endless1", "endless2", "endless3"]) trial.scheduler.add(site, trial.now);
    for (let site = 0; site < 20; site++) trial.scheduler.add(`s${site}`, trial.now + 1);
    await trial.run(120 * minute);
    for (let site = 0; site < 20; site++) assert.ok(trial.visitsOf(`s${site}`) >= 2, `s${site}`);
    assert.ok(trial.cut.length > 5);
  });

  it("leaves time for pages however long lists take", async () => {
    const trial = new Trial({ visitsAtOnce: 2 });
    trial.listsMs = 10 * minute;
    let pages = 0;
    trial.workMs = () => {
      pages++;
      return 2 * minute;
    };
    for (let site = 0; site < 4; site++) trial.scheduler.add(`s${site}`, trial.now);
    await trial.run(60 * minute);
    assert.ok(pages >= 8, `${pages} visits came to pages`);
    assert.deepEqual(
      trial.cut.filter((site) => trial.visitsOf(site) < 2),
      [],
    );
  });

  it("lets a long visit go on where nobody waits", async () => {
    const trial = new Trial({ visitsAtOnce: 2 });
    trial.workMs = () => 60 * minute;
    trial.scheduler.add("a", trial.now);
    await trial.run(59 * minute);
    assert.equal(trial.visitsOf("a"), 1);
  });

  it("gives the sites of which most waits their turns sooner, if that is wanted, and all of them their turns", async () => {
    const sites = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const follow = async (isByLength: boolean): Promise<Trial> => {
      const trial = new Trial({ visitsAtOnce: 1 });
      trial.isByLength = isByLength;
      trial.workMs = () => 4 * minute;
      trial.endOf = (site) => done({ summary: { source: "links", pending: site === "s11" ? 1_000_000 : 0 } });
      for (const site of sites) trial.scheduler.add(site, trial.now);
      await trial.run(10 * 60 * minute);
      return trial;
    };
    const [even, uneven] = [await follow(false), await follow(true)];
    // 150 visits of 4 minutes.
    assert.ok(even.visitsOf("s11") <= 14, `${even.visitsOf("s11")}`);
    assert.ok(uneven.visitsOf("s11") >= 30, `${uneven.visitsOf("s11")}`);
    for (const site of sites) assert.ok(uneven.visitsOf(site) >= 5, `${site} ${uneven.visitsOf(site)}`);
  });

  it("ends in order with the signal", async () => {
    const trial = new Trial({ visitsAtOnce: 4 });
    trial.workMs = () => 10 * minute;
    for (let site = 0; site < 10; site++) trial.scheduler.add(`s${site}`, trial.now);
    const began = trial.now;
    await trial.run(90_500);
    assert.equal(trial.cut.length, 4);
    assert.ok(trial.now - began <= 92_000, `${trial.now - began}`);
  });

  it("ends by itself once each site was visited, if it is not for ever", async () => {
    const trial = new Trial({ visitsAtOnce: 4, isForever: false });
    for (let site = 0; site < 10; site++) trial.scheduler.add(`s${site}`, trial.now, site);
    await trial.time.run(trial.follower.run(undefined));
    assert.equal(trial.begun.length, 10);
    assert.equal(trial.scheduler.size, 0);
    assert.equal(trial.begun[0]?.site, "s9", "the highest priority first");
  });

  it("takes up a site that is added, and ends the visit of one that is taken out or paused", async () => {
    const trial = new Trial({ visitsAtOnce: 4 });
    trial.workMs = () => 60 * minute;
    for (const site of ["gone", "paused", "stays"]) trial.scheduler.add(site, trial.now);
    const change = trial.time.delay(5 * minute).then(() => {
      trial.scheduler.remove("gone");
      trial.scheduler.setPaused("paused", true);
      trial.scheduler.add("new", trial.now);
      trial.follower.notice();
    });
    await Promise.all([trial.run(30 * minute), change]);
    assert.deepEqual(trial.cut.slice(0, 2).sort(), ["gone", "paused"]);
    assert.deepEqual(
      trial.begun.map(({ site }) => site),
      ["gone", "paused", "stays", "new"],
    );
  });

  it("never visits a site twice at once, also if it is taken out and put in again", async () => {
    const trial = new Trial({ visitsAtOnce: 4 });
    let open = 0;
    trial.workMs = () => 0;
    trial.endOf = async () => {
      assert.equal(++open, 1);
      await trial.time.delay(20 * minute);
      open--;
      return { kind: "failed", error: undefined, isOurs: false };
    };
    trial.scheduler.add("a", trial.now);
    const change = trial.time.delay(minute).then(() => {
      trial.scheduler.remove("a");
      trial.scheduler.add("a", trial.now);
      trial.follower.notice();
    });
    await Promise.all([trial.run(60 * minute), change]);
    assert.ok(trial.visitsOf("a") >= 2);
  });

  it("ends all with what a visit throws, after the others have ended", async () => {
    const trial = new Trial({ visitsAtOnce: 4 });
    trial.workMs = (site) => (site === "bad" ? 3000 : 60 * minute);
    trial.endOf = (site) => {
      if (site === "bad") throw new Error("the store is gone");
      return { kind: "failed", error: undefined, isOurs: false };
    };
    for (const site of ["a", "bad", "b"]) trial.scheduler.add(site, trial.now);
    await assert.rejects(trial.time.run(trial.follower.run(undefined)), /the store is gone/);
    assert.deepEqual(trial.cut.sort(), ["a", "b"]);
  });

  it("visits what became due when the clock was set forward, or the machine slept", async () => {
    const trial = new Trial({ visitsAtOnce: 1 });
    trial.scheduler.add("a", trial.now + day / 2);
    void trial.time.delay(minute).then(() => {
      trial.skewMs = day / 2;
    });
    await trial.run(15 * minute);
    assert.ok(trial.visitsOf("a") > 0);
  });

  it("plans from what it knew of a site before", async () => {
    const trial = new Trial({ visitsAtOnce: 1 });
    trial.plans.set("a", { ...unvisited, failures: 6 });
    trial.scheduler.add("a", trial.now);
    await trial.run(minute);
    assert.equal(trial.plans.get("a")?.failures, 7);
  });
});
