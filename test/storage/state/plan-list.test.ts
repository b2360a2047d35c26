import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

test("plans of visits and what was decided of sites outlast the store", () => {
  using folder = makeTempFolder();
  const last = { at: 8, lookedAt: 6, failures: 2 };
  {
    using store = openStore({ into: folder.path });
    store.plans.write("https://a.example", { at: 7 });
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
