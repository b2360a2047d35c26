import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openConnection } from "../../../src/storage/sqlite/database.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

test("plans of visits and what was decided of sites outlast the store", () => {
  using folder = makeTempFolder();
  const last = { at: 8, lookedAt: 6, failures: 2, changes: [] };
  {
    using store = openStore({ into: folder.path });
    store.plans.write("https://a.example", { ...last, at: 7 });
    store.plans.decide("https://a.example", { priority: 9 });
    store.plans.decide("https://b.example", { isPaused: true });
    store.plans.write("https://a.example", { ...last, at: 12 });
    store.plans.decide("https://a.example", { at: 8 });
    store.plans.decide("https://a.example", { at: 9 });
    store.plans.decide("https://b.example", { at: 9 });
  }
  using store = openStore({ into: folder.path });
  assert.deepEqual(store.plans.read("https://a.example"), last);
  assert.equal(store.plans.read("https://b.example"), undefined);
  assert.deepEqual(store.plans.all(), [
    { origin: "https://a.example", at: 8, lookedAt: 6, failures: 2, priority: 9, isPaused: false },
    {
      origin: "https://b.example",
      at: undefined,
      lookedAt: undefined,
      failures: 0,
      priority: undefined,
      isPaused: true,
    },
  ]);
});

test("a plan that is damaged counts as none", () => {
  const plan = { at: 8, lookedAt: 6, failures: 2, changes: [1, 2] };
  const damaged = [
    ...['{"at":1,', "[]", "7", '"at"', "null", "{}"],
    ...[{ at: "8" }, { lookedAt: null }, { changes: undefined }, { changes: ["x"] }, { rhythm: 3 }].map((part) =>
      JSON.stringify({ ...plan, ...part }),
    ),
  ];
  using folder = makeTempFolder();
  const origin = "https://a.example";
  for (const text of damaged) {
    {
      using store = openStore({ into: folder.path });
      store.plans.write(origin, plan);
      assert.deepEqual(store.plans.read(origin), plan);
    }
    const connection = openConnection(join(folder.path, ".tidemark/state.db"));
    connection.prepare("UPDATE visit_plan SET plan = ?").run(text);
    connection.close();
    using store = openStore({ into: folder.path });
    assert.equal(store.plans.read(origin), undefined, text);
    const [planned] = store.plans.all();
    assert.equal(planned?.origin, origin);
    for (const value of [planned?.at, planned?.lookedAt, planned?.failures])
      assert.ok(value === undefined || typeof value === "number", text);
    store.plans.decide(origin, { isPaused: false, at: 3 });
    store.plans.write(origin, plan);
    assert.deepEqual(store.plans.read(origin), plan);
  }
});
