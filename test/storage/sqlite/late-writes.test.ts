import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openConnection } from "../../../src/storage/sqlite/database.ts";
import { LateWrites } from "../../../src/storage/sqlite/late-writes.ts";
import { openStore, type Store, stateFileIn } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const origin = "https://example.org";

/** What somebody else finds in the file now: what would be left if this process were killed. */
function leftOf(into: string): unknown[] {
  const connection = openConnection(stateFileIn(into));
  try {
    return connection.prepare("SELECT state FROM source_state").raw(true).all().flat();
  } finally {
    connection.close();
  }
}

function openAndRemember(store: Store): ReturnType<Store["openSite"]> {
  const site = store.openSite(origin, { kind: "metadata" });
  site.memory.rememberSource("pace", { at: 1 });
  return site;
}

describe("what waits for the next transaction of a site", () => {
  const endings: readonly (readonly [string, (site: ReturnType<Store["openSite"]>, store: Store) => void])[] = [
    ["pages that are settled", ({ urls }) => urls.settle([], [], 1)],
    ["a reading", ({ memory }) => memory.beginIntake().commit(undefined)],
    ["the end of the visit", ({ memory }) => memory.rememberVisit(1, {} as never)],
    ["a wait that is remembered", ({ memory }) => memory.rememberClock({ isOpen: 1 } as never)],
    ["the end of the site", (site) => site.close()],
    ["opening it once more", (_, store) => store.openSite(origin, { kind: "metadata" })],
  ];
  for (const [name, end] of endings)
    it(`is durable with ${name}, and not before`, () => {
      using temp = makeTempFolder();
      using store = openStore({ into: temp.path });
      const site = openAndRemember(store);
      assert.deepEqual(leftOf(temp.path), []);
      assert.deepEqual(site.memory.readSource("pace"), { at: 1 });
      end(site, store);
      assert.deepEqual(leftOf(temp.path), ['{"at":1}']);
    });

  it("is durable once the store is closed", () => {
    using temp = makeTempFolder();
    {
      using store = openStore({ into: temp.path });
      openAndRemember(store);
    }
    assert.deepEqual(leftOf(temp.path), ['{"at":1}']);
  });

  it("still waits after a transaction that was undone", () => {
    using temp = makeTempFolder();
    const connection = openConnection(`${temp.path}/one.db`);
    connection.exec("CREATE TABLE t (a)");
    const late = new LateWrites(connection);
    late.add("a", () => connection.exec("INSERT INTO t VALUES (1)"));
    late.add("a", () => connection.exec("INSERT INTO t VALUES (2)"));
    assert.throws(() =>
      late.transact(() => {
        throw new Error("undone");
      }),
    );
    const rows = (): unknown => connection.prepare("SELECT a FROM t").raw(true).all();
    assert.deepEqual(rows(), []);
    late.flush();
    assert.deepEqual(rows(), [[2]]);
    connection.close();
  });
});
