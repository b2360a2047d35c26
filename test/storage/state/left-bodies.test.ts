import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "../../../src/core/page.ts";
import type { SiteClockState } from "../../../src/core/site-record.ts";
import type { HeldBody } from "../../../src/core/tracked-url.ts";
import { mirrorFolderOf } from "../../../src/storage/mirror/mirror-path.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { keptAs } from "./settled.ts";

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
    const { memory, urls, bodies } = store.openSite(origin);
    urls.note(
      paths.map((path) => ({ path, depth: 0, lastmod: "2026-01-01" })),
      urls.beginList(),
    );
    for (const path of paths) bodies.keep(pageOf(path), Buffer.from("body"));
    urls.settle(
      urls.take("new", 0, undefined, 10).map((url) => keptAs(url, pageOf(url.path))),
      [],
      1,
    );
    bodies.keep({ ...pageOf("/changed"), lastModified: 1_000_000_001 }, Buffer.from("BODY"));
    rmSync(join(temp.path, mirrorFolderOf(origin), "gone"));
    memory.rememberClock({ ...clock, isOpen });
  }
  using store = openStore({ into: temp.path });
  const { urls } = store.openSite(origin);
  return urls.take("moved", 2, undefined, 10).flatMap(({ path, validators, held }) => {
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
