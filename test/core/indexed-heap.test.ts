import assert from "node:assert/strict";
import { test } from "node:test";
import { IndexedHeap } from "../../src/core/indexed-heap.ts";
import { fc } from "../property.ts";

const step = fc.record({ slot: fc.nat(90), key: fc.option(fc.nat(40), { freq: 4 }) });

test("the first slot is the one that a look at all of them finds, whatever is put in, moved and taken out", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.boolean(), (steps, highestFirst) => {
      const heap = highestFirst ? new IndexedHeap((slot, other) => slot > other) : new IndexedHeap();
      const keys = new Map<number, number>();
      for (const { slot, key } of steps) {
        if (key === null) {
          heap.delete(slot);
          keys.delete(slot);
        } else {
          heap.set(slot, key);
          keys.set(slot, key);
        }
        const [first] = [...keys].sort(([a, keyA], [b, keyB]) => keyA - keyB || (highestFirst ? b - a : a - b));
        assert.equal(heap.size, keys.size);
        assert.equal(heap.first, first?.[0]);
        assert.equal(heap.firstKey, first?.[1] ?? Number.POSITIVE_INFINITY);
      }
    }),
    { numRuns: 100 },
  );
});
