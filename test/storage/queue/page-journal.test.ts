import assert from "node:assert/strict";
import { mkdirSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ItemKeeper } from "../../../src/crawler/engine/order/sequencer.ts";
import { PageJournal } from "../../../src/storage/queue/page-journal.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";

interface Page {
  readonly page: number;
  readonly site: number;
  readonly depth: number;
}

const step = fc.oneof(
  fc.record({ do: fc.constant("keep" as const), page: fc.nat(30) }),
  fc.record({ do: fc.constant("finish" as const), page: fc.nat(30) }),
  fc.record({ do: fc.constant("flush" as const), page: fc.constant(0) }),
  fc.record({ do: fc.constant("end" as const), page: fc.constant(0) }),
);

test("what was kept and not finished by the last flush waits, in its order, after any end", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      using temp = makeTempFolder();
      const path = join(temp.path, "pages");
      let journal = new PageJournal(path);
      let waiting: Page[] = [];
      let durable: Page[] = [];
      for (const { do: what, page } of steps) {
        // It is what the frontier asks for.
        const keeper: ItemKeeper<Page> = journal;
        const one = { page, site: page * 3, depth: page % 4 };
        const isWaiting = waiting.some((other) => other.page === page);
        if (what === "keep" && !isWaiting) {
          keeper.keep(one);
          waiting.push(one);
        } else if (what === "finish" && isWaiting) {
          keeper.finish(one);
          waiting = waiting.filter((other) => other.page !== page);
        } else if (what === "flush") {
          keeper.flush();
          durable = [...waiting];
        } else if (what === "end") {
          journal[Symbol.dispose]();
          journal = new PageJournal(path);
          assert.deepEqual([...journal.waiting()], durable);
          waiting = [...durable];
        }
      }
      assert.deepEqual([...journal.waiting()], waiting);
      journal.close();
    }),
    { numRuns: 60 },
  );
});

test("a journal of what is past is written anew, and is as long as what waits", () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "pages");
  const journal = new PageJournal(path);
  const pages = 600_000;
  for (let page = 0; page < pages; page++) journal.keep({ page, site: 7, depth: 1 });
  for (let page = 0; page < pages - 3; page++) journal.finish({ page });
  // While it cannot be written anew it goes on as it is.
  mkdirSync(`${path}.new`);
  assert.throws(() => journal.flush());
  assert.deepEqual([...journal.waiting()].length, 3);
  rmdirSync(`${path}.new`);
  journal.flush();
  assert.ok(statSync(path).size < 1000);
  journal.keep({ page: 5, site: 8, depth: 2 });
  journal.close();
  const again = new PageJournal(path);
  assert.deepEqual(
    [...again.waiting()].map(({ page }) => page),
    [pages - 3, pages - 2, pages - 1, 5],
  );
  again.close();
});

test("one process at a time has a journal, and pages have numbers", () => {
  using temp = makeTempFolder();
  const path = join(temp.path, "pages");
  const journal = new PageJournal(path);
  assert.throws(() => new PageJournal(path), { code: "locked" });
  assert.throws(() => journal.keep({ page: -1, site: 0, depth: 0 }), RangeError);
  journal.close();
});
