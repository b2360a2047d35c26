import assert from "node:assert/strict";
import { test } from "node:test";
import { openConnection } from "../../../src/storage/sqlite/database.ts";
import type { SiteStore } from "../../../src/storage/state/keeping.ts";
import { KeptCounts, SiteCounts } from "../../../src/storage/state/site-counts.ts";
import { openStore, type Store, stateFileIn } from "../../../src/storage/state/store.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type Outcome, settlementOf } from "./settled.ts";

const origin = "https://example.org";
const paths = ["/a", "/b", "/c", "/d"] as const;
const cursor = { epoch: "epoch-000001", publication: 1 };
const committed = { cursor, typesKey: "text/html", since: 1, indexPath: "/index.gz", indexValidators: {} };

interface Step {
  readonly act: (store: Store, site: SiteStore, at: number) => void;
  readonly name: string;
}

/** What changes the URLs of a site, by whoever may. */
function steps(): fc.Arbitrary<Step> {
  const path = fc.constantFrom(...paths);
  const some = fc.uniqueArray(path, { minLength: 1 });
  const outcome = fc.record<Outcome>({
    path,
    kind: fc.constantFrom("kept", "kept", "unchanged", "link only", "postponed", "removed", "gone for now", "alias"),
    version: fc.integer({ min: 1, max: 300 }),
    more: fc.boolean(),
  });
  const idOf = ({ urls }: SiteStore, named: string): number => urls.find(named)?.id ?? 0;
  const plain = (name: string, act: Step["act"]): fc.Arbitrary<Step> => fc.constant({ name, act });
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(outcome, { minLength: 1, maxLength: 3 }).map((outcomes) => ({
        name: `settle ${JSON.stringify(outcomes)}`,
        act: (_: Store, { urls }: SiteStore, at: number) => {
          const settlements = outcomes.flatMap((one) => {
            const url = urls.find(one.path);
            return url === undefined ? [] : [settlementOf(url, one, at)];
          });
          urls.settle(settlements, [], at);
        },
      })),
    },
    some.map((named) => ({
      name: `link ${named.join()}`,
      act: (_: Store, { urls }: SiteStore) =>
        urls.note(
          named.map((path) => ({ path, depth: 1, lastmod: undefined })),
          0,
        ),
    })),
    fc.tuple(some, fc.constantFrom("2026-01-01", "2026-01-02")).map(([named, lastmod]) => ({
      name: `list ${named.join()}`,
      act: (_: Store, { urls }: SiteStore) => {
        const list = urls.beginList();
        urls.note(
          named.map((path) => ({ path, depth: 0, lastmod })),
          list,
        );
        urls.endLists([list]);
      },
    })),
    fc.tuple(some, fc.boolean()).map(([named, isWhole]) => ({
      name: `announce ${named.join()} ${isWhole}`,
      act: (_: Store, { memory }: SiteStore) => {
        const intake = memory.beginIntake();
        intake.list(
          named.map((path) => ({ path, sizeBytes: 9, digest: "d", lastModified: 1, mediaType: "text/html" })),
          isWhole,
        );
        intake.commit(committed);
      },
    })),
    fc.constantFrom("disallowed", "refused", "usage").map((which) => ({
      name: `reopen ${which}`,
      act: (_: Store, { urls }: SiteStore) => urls.reopen(which as "disallowed" | "refused"),
    })),
    some.map((named) => ({ name: `doubt ${named.join()}`, act: (store: Store) => void store.doubt(1, named) })),
    fc.tuple(some, fc.boolean()).map(([named, isWithdrawn]) => ({
      name: `a peer tells of ${named.join()}, withdrawn: ${isWithdrawn}`,
      act: (store: Store, site: SiteStore, at: number) => {
        const told = {
          peer: "https://peer.example/",
          source: "1",
          kind: "update",
          polledAt: at,
          mergedAt: at,
        } as const;
        const added = named.map((path) => ({ site: 1, path, polledAt: at }));
        store.peers.move({ added, sooner: named.map((one) => idOf(site, one)), later: [] });
        store.claims.keepClaims(named.map((path) => ({ ...told, site: 1, path, isOpen: true })));
        site.urls.counts();
        if (isWithdrawn) store.claims.settleClaims({ done: [], states: [], withdrawnOf: [told.peer] });
      },
    })),
    plain("unconfirm", (_, { urls }) => urls.unconfirmHeld()),
    plain("clock", (_, { urls }) => urls.setBack(1)),
  );
}

test("the counts of a site are those of its URLs, whoever wrote them, also after it was closed", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(steps(), fc.boolean()), { minLength: 1, maxLength: 8 }), (run) => {
      using temp = makeTempFolder();
      using store = openStore({ into: temp.path });
      const connection = openConnection(stateFileIn(temp.path));
      try {
        let site = store.openSite(origin);
        site.urls.note(
          paths.map((path) => ({ path, depth: 1, lastmod: undefined })),
          0,
        );
        const first = site.urls.take("new", 1, undefined, paths.length);
        const kept = { kind: "kept", version: 7, more: true } as const;
        const settlements = first.map((url) => settlementOf(url, { ...kept, path: url.path as Outcome["path"] }, 1));
        site.urls.settle(settlements, [], 1);
        site.urls.counts();
        for (const [at, [{ name, act }, isReopened]] of run.entries()) {
          act(store, site, at + 2);
          if (isReopened) {
            site.close();
            site = store.openSite(origin);
          }
          const told = site.urls.counts();
          assert.deepEqual(told, new SiteCounts(connection, 1).read(), `after ${name}`);
        }
      } finally {
        connection.close();
      }
    }),
    { numRuns: 150 },
  );
});

test("the counts of so many sites are kept, and those of the longest ago forgotten, but of none that is open", () => {
  using temp = makeTempFolder();
  using _ = openStore({ into: temp.path });
  const connection = openConnection(stateFileIn(temp.path));
  const counts = new KeptCounts(connection, (site) => site === 1);
  const [open, second, third] = [counts.of(1), counts.of(2), counts.of(3)];
  for (let site = 4; site <= 4096; site++) counts.of(site);
  assert.equal(counts.of(2), second);
  counts.of(5000);
  assert.deepEqual([counts.of(1) === open, counts.of(2) === second, counts.of(3) === third], [true, true, false]);
  connection.close();
});
