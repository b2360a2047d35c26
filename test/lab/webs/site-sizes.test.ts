import assert from "node:assert/strict";
import { test } from "node:test";
import { planSiteSizes } from "../../../lab/webs/site-sizes.ts";

test("whatever fits into sites is put into them, none empty, none beyond the cap", () => {
  for (let sites = 1; sites <= 9; sites++) {
    for (let cap = 1; cap <= 9; cap++) {
      for (let pages = sites; pages <= sites * cap; pages++) {
        const sizes = planSiteSizes(pages, sites, cap);
        assert.equal(sizes.length, sites);
        assert.equal(
          sizes.reduce((sum, size) => sum + size, 0),
          pages,
        );
        assert.ok(
          sizes.every((size) => size >= 1 && size <= cap),
          `${sizes} of ${pages} within ${cap}`,
        );
      }
    }
  }
});
