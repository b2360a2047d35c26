import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import Database from "libsql";
import { changeKinds } from "../../src/core/index.ts";
import { createRandom } from "../../src/core/random.ts";
import { parseEventArchive, type SiteEvent } from "../../src/formats/web-events/index.ts";
import { PeerCandidates } from "../../src/share/engine/peer-candidates.ts";
import { createClaimBook } from "../../src/share/peer-trust.ts";
import { openStore } from "../../src/storage/state/store.ts";
import { type SiteEvents, writeArchive } from "../formats/web-events/archived-events.ts";
import { makeTempFolder } from "../temp-folder.ts";

const sites = 3;
const pagesPerSite = 800;
const to = 10_000;
const digests = ["abcdef", "ghijkl"] as const;
const pathOf = (page: number): string => `/${String(page).padStart(4, "0")}`;

const isHeld = (page: number): boolean => page % 5 !== 0;

/** A crawler that holds most pages, answered at some time. */
function makeCrawler(into: string, seed: number): void {
  openStore({ into })[Symbol.dispose]();
  const random = createRandom(seed);
  const state = new Database(join(into, ".tidemark", "state.db"));
  const addUrl = state.prepare(
    "INSERT INTO url (site, path, state, size, digest, modified, asked) VALUES (?, ?, 'known', 1, ?, 1, ?)",
  );
  const addChange = state.prepare("INSERT INTO seen_change (site, path, born, is_deleted, at) VALUES (?, ?, 0, 0, 1)");
  state.exec("BEGIN");
  for (let site = 1; site <= sites; site++) {
    state.prepare("INSERT INTO site (id, origin, mirror) VALUES (?, ?, ?)").run(site, `http://s${site}`, `m${site}`);
    for (let page = 0; page < pagesPerSite; page++) {
      if (!isHeld(page)) continue;
      addUrl.run(site, pathOf(page), `${digests[0]}ghijk`, Math.floor(random() * to));
      addChange.run(site, pathOf(page));
    }
  }
  state.exec("COMMIT");
  state.close();
}

/** Some archives of a peer about the pages of all sites. */
function makeArchives(seed: number): SiteEvents[][] {
  const random = createRandom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  // Of what a kind of claims may be comes late: others have no room by then.
  return Array.from({ length: 6 }, (_, archive) =>
    Array.from({ length: sites }, (_, site) => ({
      origin: `http://s${site + 1}`,
      events: Array.from({ length: pagesPerSite }, (_, page): SiteEvent => {
        const polledAt = 1 + Math.floor(random() * (to - 1));
        const kind = pick(changeKinds);
        return {
          kind,
          path: pathOf(page),
          sizeBytes: 1,
          modifiedAt: polledAt - 1,
          polledAt,
          digest: archive < 4 ? digests[1] : pick(digests),
        };
      }).filter((_, page) => random() < 0.7 && (archive > 1 || isHeld(page))),
    })),
  );
}

for (const seed of [1, 2, 3])
  test(`what is put off without a look at it is what a look at each event puts off (seed ${seed})`, () => {
    using folder = makeTempFolder();
    const run = (name: string, isAtOnce: boolean) => {
      const into = join(folder.path, name);
      makeCrawler(into, seed);
      using store = openStore({ into });
      const claims = createClaimBook(
        store.claims,
        () => to * 1000,
        () => 0.5,
      );
      const candidates = new PeerCandidates(store.peers, claims, 1000);
      // Both meet claims of another peer.
      for (const [peer, archives] of [
        ["http://a.example/", makeArchives(seed + 10).slice(0, 1)],
        ["http://b.example/", makeArchives(seed)],
      ] as const) {
        candidates.begin(peer);
        for (const archive of archives) {
          const read = parseEventArchive(writeArchive(archive, to), to, () => true);
          assert.ok(read.ok);
          if (isAtOnce) for (const site of read.value.sites) candidates.takeSite(read.value, site, peer);
          else
            for (const { origin, events } of archive) for (const event of events) candidates.addOf(origin, event, peer);
          candidates.flush();
        }
      }
      const { known, deferred, ...counts } = candidates.counts;
      const state = new Database(join(into, ".tidemark", "state.db"));
      const rows = [
        state.prepare("SELECT site, path, state, unconfirmed, due, checked FROM url ORDER BY site, path").raw().all(),
        state.prepare("SELECT peer, site, path, kind, is_open, polled FROM peer_claim ORDER BY 1, 2, 3").raw().all(),
      ];
      state.close();
      return { counts: { ...counts, rest: known + deferred }, known, deferred, rows };
    };
    const [each, atOnce] = [run("each", false), run("at-once", true)];
    assert.ok(each.deferred > 1000 && each.counts.sooner > 50, "the peer says more than is acted upon");
    assert.deepEqual(atOnce.counts, each.counts);
    assert.deepEqual(atOnce.rows, each.rows);
  });
