import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Permits } from "../../../../src/crawler/engine/pipeline/permits.ts";

test("no more hold a permit than there are, and who waits longest is next", async () => {
  const permits = new Permits(2);
  const order: string[] = [];
  const take = async (name: string): Promise<void> => {
    await permits.acquire();
    order.push(name);
  };
  const all = ["a", "b", "c", "d"].map(take);
  await nextTurn();
  assert.deepEqual(order, ["a", "b"]);
  permits.release();
  await nextTurn();
  assert.deepEqual(order, ["a", "b", "c"]);
  permits.release();
  permits.release();
  await Promise.all(all);
  await take("e");
  assert.deepEqual(order, ["a", "b", "c", "d", "e"]);
});
