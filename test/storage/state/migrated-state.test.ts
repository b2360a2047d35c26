import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import Database from "libsql";
import { openStore, type Store } from "../../../src/storage/state/store.ts";
import { repositoryFolder } from "../../repository-folder.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const fixture = join(repositoryFolder(), "fixtures", "crawl", "v10");
const origins = JSON.parse(readFileSync(join(fixture, "state.json"), "utf8")) as Record<
  "archives" | "both" | "links",
  string
>;

/** A state that the tenth version of the schema holds, with the folders of its mirrors. @param sql - changes it before */
function openFixture(into: string, sql = ""): Store {
  mkdirSync(join(into, ".tidemark"));
  for (const origin of Object.values(origins)) mkdirSync(join(into, new URL(origin).host.replace(":", "_")));
  const file = join(into, ".tidemark", "state.db");
  writeFileSync(file, gunzipSync(readFileSync(join(fixture, "state.db.gz"))));
  const database = new Database(file);
  database.exec(sql);
  database.close();
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

  it("looks once more at pages that wait for another robots.txt, for they may only have redirected to disallowed ones", () => {
    using folder = makeTempFolder();
    const siteOf = (origin: string): string => `(SELECT id FROM site WHERE origin = '${origin}')`;
    using store = openFixture(
      folder.path,
      `UPDATE target SET state = 'disallowed', trouble = 'disallowed', strikes = 1
        WHERE site = ${siteOf(origins.links)} AND path = '/a.html';
      INSERT INTO target (site, path, depth, state, trouble, strikes)
        VALUES (${siteOf(origins.links)}, '/new.html', 1, 'disallowed', 'disallowed', 1);
      INSERT INTO work (site, path, kind, size, digest, modified, media_type, state, trouble, strikes, seen)
        VALUES (${siteOf(origins.archives)}, '/a.html', 'fetch', 1, '', 5, 'text/html', 'disallowed', 'disallowed', 1, 1)`,
    );
    const due = (origin: string, choice: "known" | "new" | "announced"): string[] =>
      store
        .openSite(origin)
        .urls.take(choice, 4_000_000_000, undefined, 10)
        .flatMap(({ path, postponed }) => (postponed?.trouble === "disallowed" ? [path] : []));
    assert.deepEqual(due(origins.links, "known"), ["/a.html"]);
    assert.deepEqual(due(origins.links, "new"), ["/new.html"]);
    assert.deepEqual(due(origins.archives, "announced"), ["/a.html"]);
  });
});
