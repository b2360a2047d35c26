import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { longer } from "../../long-run.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type Holding, PublishedReader } from "./published-reader.ts";

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

function apply(
  docroot: string,
  contents: Map<string, string>,
  write: { name: string; action: string; content: number },
): void {
  const path = join(docroot, write.name);
  if (write.action === "delete") {
    rmSync(path, { force: true });
    contents.delete(write.name);
  } else if (write.action === "touch") {
    if (contents.has(write.name)) utimesSync(path, 1_600_000_000, 1_600_000_000 + write.content);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `content ${write.content}`);
    contents.set(write.name, `content ${write.content}`);
    if (write.action === "restore") utimesSync(path, 1_000_000_000, 1_000_000_000);
  }
}

const digests = (holding: Holding) =>
  Object.fromEntries([...holding].map(([path, page]) => [path, page.digest]).sort());

test("whatever happens to a site, a reader of any cursor comes to exactly the site", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(2, 4, 8), async (history, segmentSize) => {
      using folder = makeTempFolder();
      const docroot = join(folder.path, "site");
      mkdirSync(docroot);
      const contents = new Map<string, string>();
      const visits: { publication: number; epoch: string; holding: Holding }[] = [];
      let now = Date.UTC(2026, 0, 1);
      for (const step of history) {
        for (const write of step.writes) apply(docroot, contents, write);
        now += step.days * 86_400_000;
        const summary = await exportSite({
          docroot,
          baseUrl: "http://localhost/",
          stateDir: join(folder.path, "state"),
          segmentSize,
          minGroup: 2,
          allowEmpty: true,
          clock: () => now,
        });
        const reader = new PublishedReader(docroot);
        assert.equal(summary.pages, contents.size);
        assert.equal(reader.index.pages, contents.size);
        const holding = reader.readBase();
        reader.follow(holding, reader.index.base.name.to, "shortest");
        assert.equal(holding.size, contents.size);
        for (const page of holding.values()) {
          assert.equal(page.sizeBytes, statSync(join(docroot, decodeURIComponent(page.path))).size);
        }
        for (const visit of visits) {
          if (!reader.canFollow(visit.publication)) continue;
          for (const prefer of ["shortest", "longest"] as const) {
            const followed: Holding = new Map(visit.holding);
            reader.follow(followed, visit.publication, prefer);
            assert.deepEqual(digests(followed), digests(holding));
          }
        }
        const last = visits.at(-1);
        assert.ok(
          last === undefined || reader.canFollow(last.publication),
          "the last visitor must read the whole site again",
        );
        if (summary.published) visits.push({ publication: summary.publication, epoch: summary.epoch, holding });
      }
      assert.ok(visits.every((visit, at) => at === 0 || visit.publication > (visits[at - 1]?.publication ?? 0)));
    }),
    { numRuns: longer(5, 25) },
  );
});
