import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "../../../src/core/page.ts";
import { IntakeSpool, type SpooledStep } from "../../../src/storage/state/intake-spool.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { keptAs } from "./settled.ts";

function pageAt(path: string): Page {
  return { path, sizeBytes: 5, lastModified: 1_700_000_000, mediaType: "text/html", digest: "AAAAAAAAAAA" };
}

describe("IntakeSpool", () => {
  for (const [what, count] of [
    ["in memory", 3],
    ["in a file", 3000],
  ] as const) {
    it(`gives back what it was given, ${what}`, () => {
      using folder = makeTempFolder();
      const file = join(folder.path, "spool");
      const spool = new IntakeSpool(file);
      const steps = Array.from({ length: count }, (_, at): SpooledStep => {
        const path = `/ä\n"${at}/${"x".repeat(at % 300)}`;
        if (at % 3 === 0) return { kind: "withdraw", paths: [path] };
        return { kind: "list", pages: [[path, null, null, at, "text/html"]], onlyHeld: at % 2 === 0 };
      });
      for (const step of steps) spool.add(step);
      assert.equal(existsSync(file), count > 1000);
      assert.deepEqual([...spool.steps()], steps);
      assert.deepEqual([...spool.steps()], steps, "as often as it is asked");
      spool.discard();
      assert.equal(existsSync(file), false);
      assert.deepEqual([...spool.steps()], []);
    });
  }
});

describe("two sites of one store", () => {
  it("are read and worked at the same time, and each commits for itself", async () => {
    using folder = makeTempFolder();
    using store = openStore({ into: folder.path });
    const a = store.openSite("https://a.example");
    const b = store.openSite("https://b.example");
    const reading = a.memory.beginIntake();
    reading.list([pageAt("/1"), pageAt("/2")], false);
    // Meanwhile the other one reads, is given up, reads anew, and keeps pages.
    const other = b.memory.beginIntake();
    other.list([pageAt("/x")], false);
    other.rollback();
    const again = b.memory.beginIntake();
    again.list([pageAt("/1")], false);
    again.commit(undefined);
    b.memory.rememberVisit(1, { site: "b" } as never);
    const body = Buffer.from("hello");
    assert.ok((await b.bodies.keep({ ...pageAt("/1"), digest: "AAAAAAAAAAA", sizeBytes: 5 }, body)).ok);
    assert.ok((await a.bodies.keep({ ...pageAt("/1"), digest: "AAAAAAAAAAA", sizeBytes: 5 }, body)).ok);
    await Promise.all([a.bodies.flush(), b.bodies.flush()]);
    const kept = { ...pageAt("/1"), digest: "AAAAAAAAAAA", sizeBytes: 5 };
    b.urls.settle(
      b.urls.take("announced", 0, undefined, 9).map((url) => keptAs(url, kept)),
      [],
      1,
    );
    assert.deepEqual([a.urls.counts().pending, b.urls.counts().pending, b.urls.counts().held], [0, 0, 1]);
    reading.withdraw(["/2"]);
    reading.commit(undefined);
    assert.equal(a.urls.counts().pending, 2);
    a.close();
    b.close();
  });

  it("keep when a site may be asked again while its lists are read", () => {
    using folder = makeTempFolder();
    const clock = { pages: 1, answeredAt: 5, notBefore: 9, level: 0, troubledAt: 0, until: 99, isAsked: 1 };
    {
      using store = openStore({ into: folder.path });
      const { memory } = store.openSite("https://a.example");
      memory.beginIntake().list([pageAt("/1")], false);
      memory.rememberClock({ ...clock, crawlDelayMs: 0, isOpen: 1, isQuiet: 0 });
      // The store is closed as a process that dies leaves it: nothing was committed.
    }
    using store = openStore({ into: folder.path });
    const { memory, urls } = store.openSite("https://a.example");
    assert.equal(memory.read().clock?.until, 99);
    assert.equal(urls.counts().pending, 0);
  });
});
