import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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
type Crawls = Readonly<Record<string, Partial<CrawlSiteOptions>>>;
const crawls: Crawls = { archives: {}, links: { sources: ["links"] }, warc: { keep: "warc" } };
const unfinished: Crawls = { archives: {}, sitemap: { sources: ["sitemap"] }, links: { sources: ["links"] } };

/** The site of the fixture is where the server listens. */
function moveTo(origin: string, folder: string, all: Crawls): void {
  const move = (text: string): string => text.replaceAll(recorded, origin);
  for (const name of ["site/robots.txt", "site/sitemap.xml"]) {
    const file = join(folder, name);
    if (existsSync(file)) writeFileSync(file, move(readFileSync(file, "utf8")));
  }
  for (const name of ["site/.well-known/tidemark/index.gz", "state/ledger.json.gz"]) {
    const file = join(folder, name);
    writeFileSync(file, gzipSync(move(gunzipSync(readFileSync(file)).toString())));
  }
  for (const kind of Object.keys(all)) {
    const into = join(folder, kind);
    const database = new Database(join(into, ".tidemark/state.db"));
    const [from] = database.prepare("SELECT mirror FROM site").raw().get() as [string];
    const [old, now] = [mirrorFolderOf(recorded), mirrorFolderOf(origin)];
    database.prepare("UPDATE site SET origin = ?, mirror = ?").run(origin, from.replace(old, now));
    database.close();
    renameSync(join(into, old), join(into, now));
  }
}

/** Serves a fixture's site and opens its crawls. */
async function open(version: string, all: Crawls) {
  const temp = makeTempFolder();
  execFileSync("tar", ["-xzf", join(repositoryFolder(), "fixtures/state", version, "made.tar.gz"), "-C", temp.path]);
  const docroot = join(temp.path, "site");
  const server = await serveFolder({ folder: docroot });
  const { origin } = new URL(server.url);
  moveTo(origin, temp.path, all);
  let ahead = 0;
  const clock = (): number => Date.now() + ahead;
  const visit = async () => {
    // A page that was answered in the second in which a visit begins is not asked for again.
    ahead += 10_000;
    const found: Record<string, readonly number[]> = {};
    for (const [kind, options] of Object.entries(all)) {
      const into = join(temp.path, kind);
      const { pageRequests, created, updated, deleted } = await crawlSite({ url: origin, into, clock, ...options });
      found[kind] = [pageRequests, created, updated, deleted];
    }
    return found;
  };
  const close = async (): Promise<void> => {
    await server[Symbol.asyncDispose]();
    temp[Symbol.dispose]();
  };
  return { folder: temp.path, docroot, origin, visit, [Symbol.asyncDispose]: close };
}

it("goes on with what commit 3ff24ac published, mirrored and archived", async () => {
  await using made = await open("v1", crawls);
  const { docroot, origin, visit } = made;
  const publish = () =>
    exportSite({ docroot, baseUrl: `${origin}/`, stateDir: join(made.folder, "state"), index: ["index.html"] });
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
      readFileSync(join(made.folder, kind, mirrorFolderOf(origin), "about.html"), "utf8"),
      readFileSync(join(docroot, "about.html"), "utf8"),
    );
});

it("does the work that crawls of commit 777b73b left, by archives, sitemap and links", async () => {
  await using made = await open("v2", unfinished);
  const { docroot, origin, visit } = made;
  // As that commit did: what was found is asked for, and of what it held what its source says.
  assert.deepEqual(await visit(), { archives: [3, 3, 0, 0], sitemap: [4, 1, 0, 0], links: [4, 2, 0, 0] });
  assert.deepEqual(await visit(), { archives: [0, 0, 0, 0], sitemap: [4, 0, 0, 0], links: [4, 0, 0, 0] });
  for (const [kind, name] of [
    ["archives", "docs/a.html"],
    ["sitemap", "style.css"],
    ["links", "docs/b.html"],
  ] as const)
    assert.equal(
      readFileSync(join(made.folder, kind, mirrorFolderOf(origin), name), "utf8"),
      readFileSync(join(docroot, name), "utf8"),
    );
});
