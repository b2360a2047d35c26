import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { openStore, type Store } from "../../../src/storage/state/store.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const fixture = join(repositoryFolder(), "fixtures", "crawl", "v10");
const origins = JSON.parse(readFileSync(join(fixture, "state.json"), "utf8")) as Record<
  "archives" | "both" | "links",
  string
>;

/** A state that the tenth version of the schema holds, with the folders of its mirrors. */
function openFixture(into: string): Store {
  mkdirSync(join(into, ".tidemark"));
  for (const origin of Object.values(origins)) mkdirSync(join(into, new URL(origin).host.replace(":", "_")));
  writeFileSync(join(into, ".tidemark", "state.db"), gunzipSync(readFileSync(join(fixture, "state.db.gz"))));
  return openStore({ into });
}

describe("a state of an earlier version", () => {
  it("says by which source a site is followed where only one ever wrote, and nothing where several did", () => {
    using folder = makeTempFolder();
    using store = openFixture(folder.path);
    const records = Object.values(origins).map((origin) => store.openSite(origin).memory.read());
    assert.deepEqual(
      records.map(({ writer }) => writer),
      ["archives", undefined, "links"],
    );
    assert.deepEqual(
      records.map(({ position }) => position !== undefined),
      [true, true, false],
    );
  });

  it("gives the validators of what links brought, and none where archives may have replaced it", () => {
    using folder = makeTempFolder();
    using store = openFixture(folder.path);
    const validators = (origin: string): string[] => {
      const { urls } = store.openSite(origin);
      urls.beginList();
      return Object.keys(urls.find("/a.html")?.validators ?? {});
    };
    assert.deepEqual(
      [validators(origins.links), validators(origins.both), validators(origins.archives)],
      [["etag"], [], []],
    );
  });
});
