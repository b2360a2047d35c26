import assert from "node:assert/strict";
import { test } from "node:test";
import {
  PoliteSequencer,
  RoundRobinSequencer,
  WeightedSequencer,
} from "../../../../src/crawler/engine/order/combined-sequencer.ts";
import {
  FifoSequencer,
  type ItemKeeper,
  KeptSequencer,
  PrioritySequencer,
  type Sequencer,
} from "../../../../src/crawler/engine/order/sequencer.ts";
import { fc } from "../../../property.ts";

interface Url {
  readonly host: number;
  readonly number: number;
}

const urls = fc
  .array(fc.nat(5), { maxLength: 80 })
  .map((hosts) => hosts.map((host, number): Url => ({ host, number })));

function drain<Item>(sequencer: Sequencer<Item>, now: number): Item[] {
  const given: Item[] = [];
  for (let item = sequencer.next(now); item !== undefined; item = sequencer.next(now)) given.push(item);
  return given;
}

const perHost = (): RoundRobinSequencer<Url> =>
  new RoundRobinSequencer(
    ({ host }) => host,
    () => new FifoSequencer(),
  );
const weighted = (): WeightedSequencer<Url> =>
  new WeightedSequencer(
    [1, 2, 3].map((weight) => ({ sequencer: perHost(), weight })),
    ({ host }) => host % 3,
  );

/** Everything that has no times of its own, by its name. */
const timeless: Readonly<Record<string, () => Sequencer<Url>>> = {
  "first in, first out": () => new FifoSequencer(),
  priority: () => new PrioritySequencer(({ number }) => (number * 7) % 13),
  "round robin": perHost,
  weighted,
  nested: () => new RoundRobinSequencer(({ number }) => number % 2, weighted),
};

for (const [name, make] of Object.entries(timeless)) {
  test(`${name}: nothing is lost, whenever it is added, and backlog counts what waits`, () => {
    fc.assert(
      fc.property(urls, fc.array(fc.boolean(), { size: "max", maxLength: 80 }), (all, turns) => {
        const sequencer = make();
        const given: Url[] = [];
        for (const [at, url] of all.entries()) {
          sequencer.add(url);
          if (turns[at] !== true) continue;
          assert.equal(sequencer.readyAt(5), 5);
          const item = sequencer.next(5);
          assert.ok(item);
          given.push(item);
          assert.equal(sequencer.backlog, at + 1 - given.length);
        }
        given.push(...drain(sequencer, 5));
        assert.equal(sequencer.backlog, 0);
        assert.equal(sequencer.readyAt(5), Number.POSITIVE_INFINITY);
        assert.deepEqual(
          given.toSorted((a, b) => a.number - b.number),
          all,
        );
      }),
    );
  });
}

test("first in, first out: in the order in which they came", () => {
  fc.assert(
    fc.property(urls, (all) => {
      const sequencer = new FifoSequencer<Url>();
      for (const url of all) sequencer.add(url);
      assert.deepEqual(drain(sequencer, 0), all);
    }),
  );
});

test("priority: the least key first, of equal ones what came first", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(6), { size: "max", maxLength: 60 }), (keys) => {
      const sequencer = new PrioritySequencer<readonly [number, number]>(([key]) => key);
      const all = keys.map((key, at) => [key, at] as const);
      for (const one of all) sequencer.add(one);
      assert.deepEqual(
        drain(sequencer, 0),
        all.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
      );
    }),
  );
});

test("round robin: as long as all have something, no part is more than one turn ahead of another", () => {
  fc.assert(
    fc.property(urls, (all) => {
      const sequencer = perHost();
      for (const url of all) sequencer.add(url);
      const left = new Map<number, number>();
      for (const { host } of all) left.set(host, (left.get(host) ?? 0) + 1);
      const turns = new Map([...left.keys()].map((host) => [host, 0]));
      for (const { host } of drain(sequencer, 0)) {
        turns.set(host, (turns.get(host) ?? 0) + 1);
        for (const [other, had] of turns) {
          const isBusy = (left.get(other) ?? 0) > had;
          if (isBusy) assert.ok((turns.get(host) ?? 0) - had <= 1, `${host} is ahead of ${other}`);
        }
      }
    }),
  );
});

test("weighted: no part is further from its share than half a turn of it and half a turn of the other", () => {
  const weight = fc.integer({ min: 1, max: 50 });
  fc.assert(
    fc.property(
      fc.array(weight, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 1, max: 300 }),
      (weights, turns) => {
        const parts = weights.map((one) => ({ sequencer: new FifoSequencer<number>(), weight: one }));
        const sequencer = new WeightedSequencer<number>(parts, (at) => at);
        for (const at of weights.keys()) for (let n = 0; n < turns; n++) sequencer.add(at);
        const had = weights.map(() => 0);
        for (let turn = 0; turn < turns; turn++) {
          const at = sequencer.next(0) ?? Number.NaN;
          had[at] = (had[at] ?? 0) + 1;
          for (const [a, one = 1] of weights.entries()) {
            for (const [b, other = 1] of weights.entries()) {
              const apart = (had[a] ?? 0) / one - (had[b] ?? 0) / other;
              assert.ok(Math.abs(apart) <= 0.5 / one + 0.5 / other + 1e-9, `${a} and ${b} are ${apart} apart`);
            }
          }
        }
      },
    ),
  );
});

test("weighted: a part that had nothing does not make up for it", () => {
  const [a, b] = [new FifoSequencer<string>(), new FifoSequencer<string>()];
  const sequencer = new WeightedSequencer<string>(
    [
      { sequencer: a, weight: 1 },
      { sequencer: b, weight: 1 },
    ],
    (item) => (item === "a" ? 0 : 1),
  );
  for (let n = 0; n < 100; n++) sequencer.add("a");
  for (let n = 0; n < 50; n++) assert.equal(sequencer.next(0), "a");
  for (let n = 0; n < 50; n++) sequencer.add("b");
  const next = Array.from({ length: 20 }, () => sequencer.next(0));
  assert.equal(next.filter((item) => item === "b").length, 10);
});

test("weighted: weights are above 0", () => {
  for (const weight of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => new WeightedSequencer([{ sequencer: perHost(), weight }], () => 0), RangeError);
  }
  assert.throws(() => new WeightedSequencer<Url>([], () => 0).add({ host: 0, number: 0 }), RangeError);
});

const polite = fc.record({
  restMs: fc.nat(50),
  itemsPerTurn: fc.integer({ min: 1, max: 4 }),
  connections: fc.integer({ min: 1, max: 4 }),
});

test("polite: never two turns of a host at once, never before its time, nothing lost, r hosts at most", () => {
  fc.assert(
    fc.property(urls, polite, fc.array(fc.nat(20), { minLength: 1 }), (all, options, lengths) => {
      const sequencer = new PoliteSequencer<Url>(
        ({ host }) => host,
        () => new FifoSequencer(),
        options,
      );
      for (const url of all) sequencer.add(url);
      const given: Url[] = [];
      const open = new Map<number, { endsAt: number; items: number }>();
      const endedAt = new Map<number, number>();
      for (let now = 0; given.length < all.length; ) {
        for (const [host, { endsAt }] of open) {
          if (endsAt > now) continue;
          open.delete(host);
          endedAt.set(host, now);
          sequencer.done(host, now);
        }
        for (let url = sequencer.next(now); url !== undefined; url = sequencer.next(now)) {
          given.push(url);
          const turn = open.get(url.host);
          if (turn === undefined) {
            assert.ok(now >= (endedAt.get(url.host) ?? -100) + options.restMs, "before its time");
            open.set(url.host, { endsAt: now + 1 + (lengths[given.length % lengths.length] ?? 0), items: 1 });
          } else assert.ok(++turn.items <= options.itemsPerTurn, "more than a turn");
          assert.ok(open.size <= options.connections, "too many connections");
        }
        const ready = sequencer.readyAt(now);
        assert.ok(ready > now);
        now = Math.min(ready, ...[...open.values()].map(({ endsAt }) => endsAt));
        assert.ok(now < Number.POSITIVE_INFINITY || given.length === all.length, "something waits for ever");
      }
      assert.deepEqual(
        given.toSorted((a, b) => a.number - b.number),
        all,
      );
    }),
  );
});

test("polite: who is ready for the longest time goes first, and a host may want a longer rest", () => {
  const sequencer = new PoliteSequencer<string>(
    (item) => item.slice(0, 1),
    () => new FifoSequencer(),
    { restMs: 10 },
  );
  for (const item of ["a1", "a2", "b1", "b2", "c1", "c2"]) sequencer.add(item);
  assert.deepEqual(drain(sequencer, 0), ["a1", "b1", "c1"]);
  sequencer.done("c", 1);
  sequencer.done("a", 2);
  sequencer.done("b", 3, 100);
  sequencer.done("b", 99);
  assert.equal(sequencer.readyAt(3), 11);
  assert.deepEqual(drain(sequencer, 10), []);
  assert.deepEqual(drain(sequencer, 20), ["c2", "a2"]);
  assert.equal(sequencer.readyAt(20), 100);
  assert.deepEqual(drain(sequencer, 100), ["b2"]);
});

/** Keeps in memory what would be on disk. */
function memoryKeeper(kept: Set<Url>): ItemKeeper<Url> {
  return {
    keep: (url) => kept.add(url),
    finish: (url) => kept.delete(url),
    waiting: () => [...kept],
    flush: () => undefined,
  };
}

test("kept: what was added and is not finished is given again by another, in the order in which it came", () => {
  fc.assert(
    fc.property(urls, fc.nat(80), fc.func(fc.boolean()), (all, count, isFinished) => {
      const kept = new Set<Url>();
      const sequencer = new KeptSequencer(perHost(), memoryKeeper(kept));
      for (const url of all) sequencer.add(url);
      const finished = new Set<Url>();
      for (let n = 0; n < count; n++) {
        const url = sequencer.next(0);
        if (url === undefined || !isFinished(url.number)) continue;
        finished.add(url);
        sequencer.finish(url);
      }
      const later = new KeptSequencer(new FifoSequencer<Url>(), memoryKeeper(kept));
      assert.deepEqual(
        drain(later, 0),
        all.filter((url) => !finished.has(url)),
      );
    }),
  );
});
