import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "libsql";
import { toldStandings } from "../../../src/core/index.ts";
import { parseEventArchive, type SiteEvent } from "../../../src/formats/web-events/index.ts";
import { openStore } from "../../../src/storage/state/store.ts";
import { writeArchive } from "../../formats/web-events/archived-events.ts";
import { fc } from "../../property.ts";
import { makeTempFolder } from "../../temp-folder.ts";

const to = 1000;
const path = fc.array(fc.constantFrom("a", "b", "/", ".x", "?q=1", "%7E"), { maxLength: 3 }).map((parts) => {
  const text = `/x${parts.join("")}`;
  return text.replace(/\?q=1.*/, "?q=1").replaceAll("//", "/-/");
});
const digest = fc.constantFrom("abcdef", "abcdeg");
const url = fc.record({
  path,
  askedAt: fc.option(fc.integer({ min: 1, max: to }), { nil: null }),
  digest: fc.oneof(
    digest.map((head) => `${head}ghijk`),
    fc.constantFrom("", null),
  ),
});
const event = fc.record({
  path,
  polledAt: fc.integer({ min: 0, max: to }),
  digest: fc.option(digest, { nil: undefined }),
});
const unique = { selector: ({ path }: { readonly path: string }) => path };

test("URLs that a peer tells of stand as a look at each of them finds, whether they are few or many of a site", () => {
  using folder = makeTempFolder();
  const into = join(folder.path, "mirrors");
  openStore({ into })[Symbol.dispose]();
  const database = new Database(join(into, ".tidemark", "state.db"));
  const addUrl = database.prepare(
    "INSERT INTO url (site, path, state, size, digest, modified, asked) VALUES (?, ?, 'known', 1, ?, 1, ?)",
  );
  let site = 0;
  const urls = fc.uniqueArray(url, { maxLength: 60, ...unique });
  const events = fc.uniqueArray(event, { minLength: 1, maxLength: 30, ...unique });
  using store = openStore({ into });
  fc.assert(
    fc.property(urls, events, fc.integer({ min: 0, max: 200 }), (urls, events, others) => {
      site += 1;
      database.exec("BEGIN");
      for (const { path, digest, askedAt } of urls) addUrl.run(site, path, digest, askedAt);
      // Many more between the first event and the last.
      for (let other = 0; other < others; other++) addUrl.run(site, `/xb-${other}`, "", null);
      database.exec("COMMIT");
      const sorted = events
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
        .map(
          ({ digest, ...rest }): SiteEvent => ({
            ...rest,
            kind: "updated",
            sizeBytes: 1,
            modifiedAt: 0,
            ...(digest && { digest }),
          }),
        );
      // Others before it: the events of a site begin at any place.
      const before = { origin: "http://a", events: sorted.slice(0, 1) };
      const archive = parseEventArchive(
        writeArchive([before, { origin: "http://b", events: sorted }], to),
        to,
        () => true,
      );
      assert.ok(archive.ok);
      const standings = [...store.peers.compare(site, archive.value, 1, 1 + sorted.length)];
      const news = new Map(store.peers.lookAtNews(site, sorted).map((state) => [state.at, state]));
      const expected = sorted.map(({ path, digest }, at) => {
        const state = news.get(at);
        if (state === undefined) return toldStandings.answered;
        if (state.id === undefined) return toldStandings.unknown;
        const held = urls.find((url) => url.path === path)?.digest;
        return digest && held && !held.startsWith(digest) ? toldStandings.differs : toldStandings.mayBeSame;
      });
      assert.deepEqual(standings, expected);
    }),
  );
  database.close();
});
