import assert from "node:assert/strict";
import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import type { Holding } from "./published-reader.ts";
import { TestSite } from "./test-site.ts";

const names = ["a.html", "b.html", "c.png", "d/a.html", "d/e.css", "d-f.html", "é.txt", "d/%.html"];
const steps = fc.array(
  fc.record({
    days: fc.integer({ min: -3, max: 200 }),
    writes: fc.array(
      fc.record({
        name: fc.constantFrom(...names),
        action: fc.constantFrom("write", "write", "write", "delete", "touch", "restore"),
        content: fc.integer({ min: 0, max: 3 }),
      }),
      { maxLength: 5 },
    ),
  }),
  { minLength: 1, maxLength: 24 },
);

interface Write {
  readonly name: string;
  readonly action: string;
  readonly content: number;
}

function apply(site: TestSite, contents: Map<string, string>, { name, action, content }: Write): void {
  const path = join(site.docroot, name);
  if (action === "delete") {
    rmSync(path, { force: true });
    contents.delete(name);
  } else if (action === "touch") {
    if (contents.has(name)) utimesSync(path, 1_600_000_000, 1_600_000_000 + content);
  } else {
    site.write(name, `content ${content}`, action === "restore" ? 1_000_000_000 : undefined);
    contents.set(name, `content ${content}`);
  }
}

const digests = (holding: Holding) =>
  Object.fromEntries([...holding].map(([path, page]) => [path, page.digest]).sort());

test("whatever happens to a site, a reader of any cursor comes to exactly the site", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(2, 4, 8), async (history, segmentSize) => {
      using site = new TestSite();
      const contents = new Map<string, string>();
      const visits: { publication: number; holding: Holding }[] = [];
      let now = Date.UTC(2026, 0, 1);
      for (const { days, writes } of history) {
        for (const write of writes) apply(site, contents, write);
        now += days * 86_400_000;
        const { summary } = await site.export({ segmentSize, minGroup: 2, allowEmpty: true, clock: () => now });
        const reader = site.reader();
        const holding = site.hold();
        assert.deepEqual([summary.pages, reader.index.pages], [contents.size, contents.size]);
        site.check([...contents.keys()]);
        for (const { publication, holding: held } of visits) {
          if (!reader.canFollow(publication)) continue;
          for (const prefer of ["shortest", "longest"] as const) {
            const followed: Holding = new Map(held);
            reader.follow(followed, publication, prefer);
            assert.deepEqual(digests(followed), digests(holding));
          }
        }
        const last = visits.at(-1)?.publication;
        assert.ok(last === undefined || reader.canFollow(last), "the last visitor must read the whole site again");
        if (!summary.published) continue;
        assert.ok(summary.publication > (last ?? 0));
        visits.push({ publication: summary.publication, holding });
      }
    }),
    { numRuns: longer(5, 25) },
  );
});
