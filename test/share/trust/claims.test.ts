import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import Database from "libsql";
import { dayOf, formatWebEvent } from "../../../src/formats/web-events/day-file.ts";
import type { WebEvent } from "../../../src/formats/web-events/web-event.ts";
import { readTrustedPeers } from "../../../src/share/peer-trust.ts";
import { countsOf, Merger, Peer } from "../merger.ts";

const names = Array.from({ length: 40 }, (_, at) => `/p${at}`);

/** A crawler of a site of 43 pages that merges a peer, and visits the site after each merge. */
class Trial implements AsyncDisposable {
  readonly merger: Merger;

  constructor(merger: Merger) {
    this.merger = merger;
  }

  static async open(): Promise<Trial> {
    const merger = await Merger.open();
    const { site } = merger.crawler;
    const links = ["/a", "/b", "/c", ...names].map((name) => `<a href="${name}">x</a>`).join("");
    site.set({ "/": links, ...Object.fromEntries(names.map((name) => [name, name])) });
    const trial = new Trial(merger);
    await trial.visit(100);
    return trial;
  }

  /** @returns the requests for pages */
  async visit(budget: number): Promise<string[]> {
    const { crawler } = this.merger;
    crawler.now += 600_000;
    const { requests } = await crawler.visit({ sources: ["links"], planner: "round-robin", budget });
    crawler.now += 600_000;
    return requests.filter((line) => !line.endsWith("robots.txt"));
  }

  /** A peer says that pages changed. */
  async tell(paths: readonly string[], more: Partial<WebEvent> = {}, peer: Peer = this.merger.peer) {
    return await this.tellEach(
      paths.map((path) => [path, more]),
      peer,
    );
  }

  /** A peer says something of each of some pages. */
  async tellEach(news: readonly (readonly [path: string, more: Partial<WebEvent>])[], peer: Peer = this.merger.peer) {
    const { merger } = this;
    const events = news.map(([path, more]) => merger.event(path, { digest: undefined, ...more } as Partial<WebEvent>));
    peer.answers.set(`/share/${merger.today}.dat`, events.map(formatWebEvent).join(""));
    return await merger.merge({ peers: [peer.url], days: 1 });
  }

  change(...paths: readonly string[]): void {
    const { site } = this.merger.crawler;
    site.set(Object.fromEntries(paths.map((path) => [path, `changed at ${this.merger.crawler.now}`])));
  }

  trust(peer: Peer = this.merger.peer) {
    const found = readTrustedPeers(this.merger.crawler.folder.path).find((one) => one.peer === peer.url);
    assert.ok(found !== undefined);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.merger[Symbol.asyncDispose]();
  }
}

test("claims that are true raise the trust in a peer", async () => {
  await using trial = await Trial.open();
  trial.change("/a", "/b");
  const first = await trial.tell(["/a", "/b"]);
  assert.deepEqual(
    [first.sooner, first.peers[0]?.trust],
    [2, { score: 0.8, isProven: false, isQuarantined: false, proved: 0, faults: {} }],
  );
  assert.deepEqual((await trial.visit(2)).sort(), ["200 /a", "200 /b"]);
  const second = await trial.tell([]);
  assert.deepEqual(second.peers[0]?.trust, {
    score: 0.83,
    isProven: false,
    isQuarantined: false,
    proved: 2,
    faults: {},
  });
});

// What a peer says of four pages that stay as they are, and the fault that it is.
const lies: readonly (readonly [string, readonly string[], Partial<WebEvent>])[] = [
  ["false-update", names.slice(0, 4), {}],
  ["false-delete", names.slice(0, 4), { kind: "deleted", sizeBytes: 0 }],
  ["false-create", names.slice(0, 4).map((name) => `${name}-none`), { kind: "created" }],
];
for (const [fault, paths, more] of lies)
  test(`four claims that are ${fault}s put a peer into quarantine, and no page changes`, async () => {
    await using trial = await Trial.open();
    const bodies = (): unknown[] =>
      (trial.merger.rows() as unknown[][])
        .filter(([, , , , digest]) => digest)
        .map(([path, , , , digest]) => [path, digest]);
    const before = bodies();
    const { added, sooner } = await trial.tell(paths, more);
    assert.equal(added + sooner, 4);
    const requests = await trial.visit(4);
    assert.deepEqual(requests.map((line) => line.slice(4)).sort(), [...paths].sort());
    const { peers } = await trial.tell(names.slice(10, 20));
    assert.deepEqual([peers[0]?.trust.isQuarantined, peers[0]?.trust.faults], [true, { [fault]: 4 }]);
    assert.deepEqual(bodies(), before);
    // One more of this site, to try whether it lies on.
    assert.equal((await trial.visit(43)).filter((line) => line.startsWith("200")).length, 0);
  });

test("in quarantine one claim of a site is tried at a time, the others wait, and what was open is taken back", async () => {
  await using trial = await Trial.open();
  assert.equal((await trial.tell(names.slice(0, 20))).sooner, 16);
  await trial.visit(5);
  const merged = await trial.tell(names.slice(20, 40));
  assert.deepEqual([countsOf(merged), merged.deferred], [[0, 0, 0, 0, 0, 0], 20]);
  // Today it had more than its share already.
  trial.merger.crawler.now += 86_400_000;
  const next = await trial.tell(names.slice(0, 20));
  assert.deepEqual([next.sooner, next.deferred], [1, 20]);
  const waiting = (trial.merger.rows() as unknown[][]).filter(([, , unconfirmed]) => unconfirmed === 1);
  assert.equal(waiting.length, 1);
});

test("a peer that saw our versions later, and knows neither digests nor when they changed, claims nothing", async () => {
  await using trial = await Trial.open();
  const told = await trial.tellEach(names.map((name) => [name, { kind: "created", sizeBytes: name.length }]));
  assert.deepEqual(countsOf(told).slice(0, 4), [0, 0, 0, names.length]);
  trial.change("/p1");
  const news = await trial.tell(["/p1"], { sizeBytes: 30 });
  assert.equal(news.sooner, 1);
  await trial.visit(100);
  const { peers } = await trial.tell([]);
  assert.deepEqual([peers[0]?.trust.proved, peers[0]?.trust.faults], [1, {}]);
});

test("a claim that waited until our own answer is forgotten, and makes room", async () => {
  await using trial = await Trial.open();
  trial.change(...names);
  await trial.tell(names);
  const count = (): unknown => {
    const database = new Database(join(trial.merger.crawler.folder.path, ".tidemark", "state.db"));
    const counted = database.prepare("SELECT count(*) FROM peer_claim WHERE is_open = 0").raw().get();
    database.close();
    return (counted as number[])[0];
  };
  assert.equal(count(), 24);
  await trial.visit(100);
  await trial.tell([]);
  assert.equal(count(), 0);
});

test("a claim that waited is not taken as acted upon if its visit could not be moved", async () => {
  await using trial = await Trial.open();
  const { folder } = trial.merger.crawler;
  const run = (statement: string): void => {
    const database = new Database(join(folder.path, ".tidemark", "state.db"));
    database.exec(statement);
    database.close();
  };
  trial.change(...names.slice(0, 20));
  const told = await trial.tell(names.slice(0, 20));
  assert.deepEqual([told.sooner, told.deferred], [16, 4]);
  await trial.visit(16);
  run(`CREATE TRIGGER full BEFORE UPDATE OF unconfirmed ON url WHEN NEW.unconfirmed = 1
    BEGIN SELECT RAISE(ABORT, 'stop'); END`);
  await assert.rejects(trial.tell([]), /stop/);
  run("DROP TRIGGER full");
  assert.equal((await trial.tell([])).sooner, 4);
  assert.equal((await trial.visit(4)).length, 4);
});

test("news of a page that was promised to be the same waits for its turn, and is not lost", async () => {
  await using trial = await Trial.open();
  const { merger } = trial;
  const told = names.slice(0, 20);
  // The room for news of the site ends before these.
  const promised = await trial.tellEach([...merger.versions(told.slice(16))]);
  assert.equal(promised.later, 4);
  trial.change(...told);
  const asked = new Set<string>();
  for (let round = 0; round < 3; round++) {
    merger.crawler.now += 1000;
    await trial.tell(round === 0 ? told : []);
    const due = (merger.rows() as unknown[][]).filter(([, , unconfirmed]) => unconfirmed === 1).length;
    if (due > 0) for (const line of await trial.visit(due)) asked.add(line.slice(4));
  }
  assert.deepEqual([...asked].sort(), [...told].sort());
});

test("a promise that the site's own dates refute is a fault; one that holds is a proof", async () => {
  await using trial = await Trial.open();
  const { merger } = trial;
  const held = merger.versions(["/p1", "/p2", "/p3", "/p4"]);
  const said = [...held].map(([path, more]) => merger.event(path, more));
  trial.change("/p1", "/p2", "/p3");
  const changedAt = new Date(merger.crawler.now).toUTCString();
  for (const path of ["/p1", "/p2", "/p3"])
    merger.crawler.site.answers.set(path, (_, response) => response.setHeader("last-modified", changedAt));
  merger.crawler.now += 3_600_000;
  for (const event of said) Object.assign(event, { polledAt: merger.seconds });
  merger.say(...said);
  assert.equal((await merger.merge({ days: 1 })).later, 4);
  await trial.visit(100);
  const { peers } = await trial.tell([]);
  assert.deepEqual(peers[0]?.trust.faults, { "false-same": 3 });
  assert.equal(peers[0]?.trust.proved, 1);
  assert.equal(peers[0]?.trust.isQuarantined, true);
  // Of a peer in quarantine no promise is taken.
  merger.say(merger.event("/p4", { ...merger.versions(["/p4"]).get("/p4") }));
  assert.equal((await merger.merge({ days: 1 })).later, 0);
});

test("who repeats the claims of another gains nothing if they are true, and loses as much if they are false", async () => {
  await using trial = await Trial.open();
  await using echo = await Peer.open();
  trial.change("/a", "/b");
  for (const peer of [trial.merger.peer, echo]) await trial.tell(["/a", "/b"], {}, peer);
  await trial.visit(2);
  for (const peer of [trial.merger.peer, echo]) await trial.tell(["/p1", "/p2", "/p3"], {}, peer);
  await trial.visit(3);
  for (const peer of [trial.merger.peer, echo]) await trial.tell([], {}, peer);
  assert.deepEqual([trial.trust().proved, trial.trust(echo).proved], [2, 0]);
  assert.deepEqual(trial.trust(echo).faults, { "false-update": 3 });
  assert.deepEqual(trial.trust().faults, { "false-update": 3 });
});

test("a flood of new URLs takes what a peer may claim of one site, and leaves that of other peers", async () => {
  await using trial = await Trial.open();
  await using honest = await Peer.open();
  const many = Array.from({ length: 2000 }, (_, at) => `/flood${at}`);
  const flood = await trial.tell(many, { kind: "created" });
  assert.deepEqual([flood.added, flood.deferred], [4, 1996]);
  trial.change("/p7");
  assert.deepEqual(countsOf(await trial.tell(["/p7"], {}, honest)), [0, 1, 0, 0, 0, 0]);
});

test("dates that cannot be, and days with more events than are taken, are faults", async () => {
  await using trial = await Trial.open();
  const { merger } = trial;
  await trial.tell(["/a"], { polledAt: merger.seconds + 3600 });
  assert.deepEqual(trial.trust().faults, { misdated: 1 });
  merger.say(...names.map((name) => merger.event(name)));
  await merger.merge({ days: 1, maxEvents: 5 });
  assert.deepEqual(trial.trust().faults, { misdated: 1, flood: 1 });
});

test("a peer that is forgiven begins anew", async () => {
  await using trial = await Trial.open();
  await trial.tell(names.slice(0, 5));
  await trial.visit(5);
  await trial.tell([]);
  assert.equal(trial.trust().isQuarantined, true);
  const { merger } = trial;
  const { peers } = await merger.merge({ isForgiving: true });
  assert.deepEqual(peers[0]?.trust, { score: 0.8, isProven: false, isQuarantined: false, proved: 0, faults: {} });
});

test("trust and open claims do not depend on where merges and visits are cut", { timeout: 60_000 }, async () => {
  await using trial = await Trial.open();
  const { merger } = trial;
  // Whatever a peer says, no body changes, and nothing but its own pages is requested.
  const event = fc.record({
    path: fc.constantFrom(...names.slice(0, 10), "/none", "/none?x=1", "/robots.shr"),
    kind: fc.constantFrom("created", "updated", "deleted"),
    modifiedAt: fc.integer({ min: 0, max: merger.seconds + 1e6 }),
    sizeBytes: fc.nat(),
    lifetimeSeconds: fc.nat(),
  });
  const before = (merger.rows() as unknown[][]).filter(([, , , , digest]) => digest);
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), fc.nat(43), async (events, budget) => {
      merger.say(...events.map(({ path, ...more }) => merger.event(path, more as Partial<WebEvent>)));
      const { peers } = await merger.merge({ days: 1 });
      assert.ok(dayOf(merger.seconds) > 0 && (peers[0]?.trust.score ?? 0) <= 1);
      await trial.visit(budget);
    }),
    { numRuns: 12 },
  );
  const held = (merger.rows() as unknown[][]).filter(([, , , , digest]) => digest);
  assert.deepEqual(
    held.map(([path, , , , digest]) => [path, digest]),
    before.map(([path, , , , digest]) => [path, digest]),
  );
});
