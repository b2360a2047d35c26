import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import Database from "libsql";
import { mirrorFolderOf } from "../../src/storage/mirror/mirror-path.ts";
import { BuiltSite, compareBuilds, noPages } from "./built-site.ts";
import { type CommandResult, crawl, runTidemark } from "./command.ts";
import { readDocumentCode } from "./document-code.ts";
import { compareTrees } from "./file-tree.ts";
import { ObjectStore, objectStorePrograms } from "./object-store.ts";
import { skipWithout, skipWithoutCached } from "./programs.ts";
import { startVarnish } from "./varnish.ts";

const robotsAndIndex = ["GET /.well-known/tidemark/index.gz", "GET /robots.txt"];

/** Changed paths of such kinds, from lines of a change and a path. */
const pathsOf = (changes: readonly string[], kinds: RegExp): string[] =>
  changes
    .filter((line) => kinds.test(line))
    .map((line) => line.slice(line.indexOf(" ") + 1))
    .sort();

/** Under the forms that a server shows. */
const formsOf = (path: string): string[] => (path.endsWith("/") ? [path, `${path}index.html`] : [path]);

function readIndexed(file: string): Map<string, string> {
  const database = new Database(file);
  try {
    const rows = database.prepare("SELECT * FROM document").all() as Record<string, unknown>[];
    return new Map(rows.map(({ number: _, ...row }) => [String(row.url), JSON.stringify(row)]));
  } finally {
    database.close();
  }
}

const countsOf = ({ exitCode, events, stderr }: CommandResult): unknown[] => {
  assert.equal(exitCode, 0, stderr);
  const last = events.at(-1);
  return [last?.indexed, last?.deleted];
};

it("a site is built three times on clean machines, uploaded, purged, crawled, indexed and kept; only what changed is touched", {
  skip:
    skipWithoutCached("hugo-1", "node-24", "object-store-1") ||
    skipWithout("nginx", "varnishd", "varnishncsa", "curl", "git"),
  timeout: 240_000,
}, async () => {
  await using store = await ObjectStore.open();
  await using varnish = await startVarnish(store.site.port);
  const url = `http://127.0.0.1:${varnish.port}/`;
  const place = { url, upload: ["docs/operations.md", "sh rclone"], env: store.env } as const;
  await using site = await BuiltSite.open("hugo", place);
  site.addProgram("rclone", `exec "${objectStorePrograms()}/rclone" "$@"`);
  const into = join(site.folder, "mirror");
  const mirror = join(into, mirrorFolderOf(url));
  const index = join(site.folder, "search.db");
  // What docs/builders.md has stands before it.
  const [, purge = ""] = readDocumentCode("docs/caches.md", "sh after-upload").split("./upload.sh dist\n");

  let before: string | undefined;
  let indexed = new Map<string, string>();
  /** Everything that follows an edit. @returns what was built */
  const round = async (name: string, firstBuild: boolean): Promise<string[]> => {
    store.writes.length = 0;
    const purgedBefore = varnish.countPurged();
    const more = `--purge urls --purge-file purge.txt${firstBuild ? " --previous-optional" : ""}`;
    const warning = firstBuild ? /^warning: Nothing is published at / : undefined;
    await varnish.takeLog();
    const { built } = await site.publish(more, warning, purge);
    const changes = compareBuilds(before, built);
    const changed = pathsOf(changes, /^/);
    const present = pathsOf(changes, /^created|^updated/);
    const gone = pathsOf(changes, /^deleted/);
    if (changes.length > 0) assert.deepEqual(await site.readAnnounced(built), changes);

    const uploaded = store.writes.filter((write) => !/\.well-known|robots\.txt|404\.html/.test(write)).sort();
    const fileOf = (path: string): string => (formsOf(path).at(-1) ?? "").slice(1);
    const expected = [...present.map((path) => `PUT ${fileOf(path)}`), ...gone.map((path) => `DELETE ${fileOf(path)}`)];
    assert.deepEqual(uploaded, expected.sort(), "uploaded");

    // The first time index and robots.txt as well: the export had asked for an index, and the cache keeps that answer.
    const own = firstBuild ? ["/.well-known/tidemark/index.gz", "/robots.txt"] : [];
    const purges = (await varnish.takeLog()).filter((line) => line.startsWith("PURGE "));
    assert.deepEqual(
      purges.sort(),
      [...changed.flatMap(formsOf), ...own].map((path) => `PURGE ${path}`).sort(),
      "purged",
    );
    // The crawler's last visit left each page in the cache once.
    const held = firstBuild ? 1 : changes.filter((line) => !line.startsWith("created")).length;
    assert.equal(varnish.countPurged() - purgedBefore, held);

    await crawl(url, into);
    const asked = (await varnish.takeLog()).filter((line) => !/tidemark\/\d/.test(line));
    assert.deepEqual(asked.sort(), [...robotsAndIndex, ...present.map((path) => `GET ${path}`)].sort(), "requested");
    assert.deepEqual(compareTrees(built, mirror, noPages), []);
    const { exitCode } = await runTidemark(["verify", url, "--all", "--delay", "0"]);
    assert.equal(exitCode, 0);

    const fed = await runTidemark(["feed", into, "--to", `sqlite:${index}`, "--json"]);
    assert.deepEqual(countsOf(fed), [present.length, gone.length], "indexed");
    const now = readIndexed(index);
    const differing = [...new Set([...indexed.keys(), ...now.keys()])].filter(
      (key) => indexed.get(key) !== now.get(key),
    );
    assert.deepEqual(differing.map((key) => new URL(key).pathname).sort(), changed);
    indexed = now;

    countsOf(await runTidemark(["copy", mirror, join(site.folder, "kept", name), "--json"]));
    assert.deepEqual(compareTrees(built, join(site.folder, "kept", name), noPages), []);
    before = built;
    return changes;
  };

  const first = await round("1-monday", true);
  assert.ok(first.includes("created /posts/one/") && first.every((line) => line.startsWith("created")), first.join());
  const monday = before;

  site.edit("High water came at six.", "High water came at seven.");
  site.write(
    "content/posts/four.md",
    "+++\ntitle = 'Spring tide'\ndate = 2026-03-04\n+++\nThe mole was under water.\n",
  );
  site.write("content/posts/three.md", undefined);
  const second = await round("2-tuesday", false);
  for (const line of ["updated /posts/one/", "created /posts/four/", "deleted /posts/three/", "updated /"])
    assert.ok(second.includes(line), second.join());
  assert.ok(!second.some((line) => line.includes("/posts/two/") || line.includes("/about/")), second.join());
  assert.deepEqual(compareTrees(monday ?? "", join(site.folder, "kept", "1-monday"), noPages), []);

  assert.deepEqual(await round("3-wednesday", false), []);
  assert.deepEqual(store.writes, []);
});
