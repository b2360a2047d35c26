import assert from "node:assert/strict";
import { test } from "node:test";
import { PathSample } from "../../../src/exporter/setup/path-sample.ts";
import { fc } from "../../property.ts";

test("a sample has as many paths as are wanted, different ones, from all over", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 3000 }), (size, count) => {
      const sample = new PathSample(size);
      for (let at = 0; at < count; at++) sample.add(String(at));
      const { paths } = sample;
      assert.equal(new Set(paths).size, paths.length);
      assert.equal(paths.length, Math.min(size, count));
      // No gap between two is larger than a few times what an even spread would have.
      const places = [...paths.map(Number), count];
      for (const [at, place] of places.entries()) {
        if (at > 0) assert.ok(place - (places[at - 1] ?? 0) <= 4 * Math.ceil(count / size) + 1, `${places}`);
      }
    }),
  );
});
