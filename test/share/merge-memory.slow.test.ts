import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { openStore } from "../../src/storage/state/store.ts";
import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

const archives = 12;

/** Reads archives of 14 MB, each with one site of the crawler, as a merge does. */
const program = `
  const [root, into] = process.argv.slice(1);
  const { openStore } = await import(root + "src/storage/state/store.js");
  const { PeerCandidates } = await import(root + "src/share/engine/peer-candidates.js");
  const { createClaimBook } = await import(root + "src/share/peer-trust.js");
  const { parseEventArchive } = await import(root + "src/formats/web-events/event-archive.js");
  const store = openStore({ into });
  const candidates = new PeerCandidates(store.peers, createClaimBook(store.claims, Date.now), 1000);
  candidates.begin("https://peer.example/");
  const others = Buffer.from("S\\thttp://z.elsewhere.example\\n" + "U\\t0\\t0\\t1\\t-\\t-\\t/a-page-of-another-site\\n".repeat(400_000));
  for (let at = 0; at < ${archives}; at++) {
    const own = Buffer.from("tme1\\nS\\thttp://a.long.name.of.site-" + at + ".example\\nU\\t0\\t0\\t1\\t-\\t-\\t/\\n");
    const read = parseEventArchive(Buffer.concat([own, others]), 1_700_000_000, (origin) => candidates.isCrawled(origin));
    for (const site of read.value.sites) candidates.takeSite(read.value, site, "peer");
    candidates.flush();
  }
  process.stdout.write(String(candidates.counts.known + candidates.counts.added + candidates.counts.deferred));
`;

test("what is kept of the sites of a merge does not keep the archives that named them", () => {
  using folder = makeTempFolder();
  const into = join(folder.path, "mirrors");
  mkdirSync(into);
  openStore({ into })[Symbol.dispose]();
  const state = new Database(join(into, ".tidemark", "state.db"));
  for (let at = 0; at < archives; at++)
    state
      .prepare("INSERT INTO site (id, origin, mirror) VALUES (?, ?, ?)")
      .run(at + 1, `http://a.long.name.of.site-${at}.example`, `m${at}`);
  state.close();
  const root = pathToFileURL(join(repositoryFolder(), "dist", "/")).href;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--max-old-space-size=80", "--input-type=module", "--eval", program, root, into],
    { encoding: "utf8", timeout: 120_000 },
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout, String(archives));
});
