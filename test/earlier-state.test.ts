import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import Database from "libsql";
import { crawlSite } from "../src/crawler/crawl-site.ts";
import type { CrawlSiteOptions } from "../src/crawler/crawl-site-options.ts";
import { exportSite } from "../src/exporter/export-site.ts";
import { serveFolder } from "../src/server/folder-server.ts";
import { mirrorFolderOf } from "../src/storage/mirror/mirror-path.ts";
import { repositoryFolder } from "./repository-folder.ts";
import { makeTempFolder } from "./temp-folder.ts";

const recorded = "http://127.0.0.1:8996";
const crawls = {
  archives: {},
  links: { sources: ["links"] },
  warc: { keep: "warc" },
} as const satisfies Record<string, Partial<CrawlSiteOptions>>;

/** The site of the fixture is where the server listens. */
function moveTo(origin: string, folder: string): void {
  const move = (text: string): string => text.replaceAll(recorded, origin);
  const robots = join(folder, "site/robots.txt");
  writeFileSync(robots, move(readFileSync(robots, "utf8")));
  for (const name of ["site/.well-known/tidemark/index.gz", "state/ledger.json.gz"]) {
    const file = join(folder, name);
    writeFileSync(file, gzipSync(move(gunzipSync(readFileSync(file)).toString())));
  }
  for (const kind of Object.keys(crawls)) {
    const into = join(folder, kind);
    const database = new Database(join(into, ".tidemark/state.db"));
    const [from] = database.prepare("SELECT mirror FROM site").raw().get() as [string];
    const [old, now] = [mirrorFolderOf(recorded), mirrorFolderOf(origin)];
    database.prepare("UPDATE site SET origin = ?, mirror = ?").run(origin, from.replace(old, now));
    database.close();
    renameSync(join(into, old), join(into, now));
  }
}

it("goes on with what commit 3ff24ac published, mirrored and archived", async () => {
  using temp = makeTempFolder();
  execFileSync("tar", ["-xzf", join(repositoryFolder(), "fixtures/state/v1/made.tar.gz"), "-C", temp.path]);
  const docroot = join(temp.path, "site");
  await using server = await serveFolder({ folder: docroot });
  const { origin } = new URL(server.url);
  moveTo(origin, temp.path);
  const publish = () =>
    exportSite({ docroot, baseUrl: `${origin}/`, stateDir: join(temp.path, "state"), index: ["index.html"] });
  const visit = async () => {
    const found: Record<string, readonly number[]> = {};
    for (const [kind, options] of Object.entries(crawls)) {
      const into = join(temp.path, kind);
      const { pageRequests, created, updated, deleted } = await crawlSite({ url: origin, into, ...options });
      found[kind] = [pageRequests, created, updated, deleted];
    }
    return found;
  };
  // Nothing changed: archives are believed, links ask for the four pages that they led to.
  assert.deepEqual(await visit(), { archives: [0, 0, 0, 0], links: [4, 0, 0, 0], warc: [0, 0, 0, 0] });
  const same = await publish();
  assert.deepEqual([same.pages, same.created, same.updated, same.deleted], [5, 0, 0, 0]);
  appendFileSync(join(docroot, "about.html"), "<p>more");
  const next = await publish();
  assert.deepEqual([next.created, next.updated, next.deleted, next.epoch], [0, 1, 0, same.epoch]);
  assert.deepEqual(await visit(), { archives: [1, 0, 1, 0], links: [4, 0, 1, 0], warc: [1, 0, 1, 0] });
  for (const kind of ["archives", "links"])
    assert.equal(
      readFileSync(join(temp.path, kind, mirrorFolderOf(origin), "about.html"), "utf8"),
      readFileSync(join(docroot, "about.html"), "utf8"),
    );
});
