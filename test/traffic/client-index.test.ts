import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ClientIndex } from "../../src/traffic/client-index.ts";

test("whatever comes and goes, each key has the number that it was given", () => {
  const most = 12;
  // Few keys, some of which differ above 32 bits alone, so that they share a place.
  const keys = fc.integer({ min: 0, max: 30 }).map((at) => (at % 10) + Math.floor(at / 10) * 2 ** 32);
  const steps = fc.array(fc.tuple(fc.boolean(), keys), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (all) => {
      const index = new ClientIndex(most);
      const model = new Map<number, number>();
      const free = Array.from({ length: most }, (_, at) => at);
      for (const [isCome, key] of all) {
        const number = model.get(key);
        assert.equal(index.find(key), number);
        const next = free.at(-1);
        if (isCome && number === undefined && next !== undefined) {
          free.pop();
          index.set(key, next);
          model.set(key, next);
        } else if (!isCome && number !== undefined) {
          index.delete(number);
          model.delete(key);
          free.push(number);
        }
        assert.equal(index.size, model.size);
        for (const [known, expected] of model) assert.equal(index.find(known), expected);
      }
    }),
  );
});
