import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "../../../src/core/page.ts";
import type { SiteClockState } from "../../../src/core/site-record.ts";
import type { HeldBody } from "../../../src/core/work-item.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const origin = "https://example.org";
const clock: SiteClockState = {
  ...{ pages: 0, answeredAt: 0, notBefore: 0, level: 0, troubledAt: 0, until: 0, isAsked: 0, crawlDelayMs: 0 },
  isOpen: 1,
  isQuiet: 0,
};

function pageOf(path: string): Page & HeldBody {
  return { path, sizeBytes: 4, digest: "AAAAAAAAAAA", lastModified: 1_000_000_000, mediaType: "text/html" };
}

/** Keeps two pages, lets another body take the place of the first and the second vanish, and opens the store again. */
async function reopen(isOpen: 0 | 1): Promise<string[]> {
  using temp = makeTempFolder();
  const paths = ["/changed", "/gone", "/same"];
  {
    using store = openStore({ into: temp.path });
    const { memory, targets, bodies } = store.openSite(origin);
    targets.note(
      paths.map((path) => ({ path, depth: 0, lastmod: "2026-01-01" })),
      targets.beginList(),
    );
    for (const path of paths) bodies.keep(pageOf(path), Buffer.from("body"));
    const answered = targets.take("new", 0, 0, 10).map((target) => {
      const shared = { history: [], askedAt: 1, dueAt: 0, isLinkOnly: false, isFull: true } as const;
      return { kind: "answered", target, page: pageOf(target.path), validators: { etag: '"1"' }, ...shared } as const;
    });
    targets.settle(answered, [], 1);
    bodies.keep({ ...pageOf("/changed"), lastModified: 1_000_000_001 }, Buffer.from("BODY"));
    rmSync(join(temp.path, mirrorFolderOf(origin), "gone"));
    memory.rememberClock({ ...clock, isOpen });
  }
  using store = openStore({ into: temp.path });
  const { targets } = store.openSite(origin);
  return targets.take("moved", 2, 0, 10).flatMap(({ path, validators, held }) => {
    assert.deepEqual([validators, held?.digest], [{}, ""]);
    return [path];
  });
}

describe("pages whose bodies are not those that are remembered", () => {
  it("are asked for anew, without validators, after a visit that did not end", async () => {
    assert.deepEqual(await reopen(1), ["/changed", "/gone"]);
  });

  it("are not looked for after one that ended", async () => {
    assert.deepEqual(await reopen(0), []);
  });
});
