import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Database from "libsql";
import { crawlSite } from "../../src/crawler/index.ts";
import { exportSite } from "../../src/exporter/index.ts";
import { serveFolder } from "../../src/server/index.ts";
import { type FeedEvent, type FeedMirrorOptions, feedMirror } from "../../src/sinks/index.ts";
import { makeTempFolder } from "../temp-folder.ts";

/** A site that is exported, crawled and fed. */
async function openSite() {
  const folder = makeTempFolder();
  const docroot = join(folder.path, "site");
  const into = join(folder.path, "mirror");
  mkdirSync(docroot);
  const server = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0 });
  let nowMs = Date.now() + 3_600_000;
  return {
    folder: folder.path,
    into,
    write: (name: string, text: string) => writeFileSync(join(docroot, name), text),
    remove: (name: string) => rmSync(join(docroot, name)),
    visit: async (state?: string) => {
      nowMs += 86_400_000;
      const stateDir = join(folder.path, "state");
      await exportSite({ docroot, baseUrl: server.url, stateDir, clock: () => nowMs });
      await crawlSite({ url: server.url, into, ...(state === undefined ? {} : { stateFile: state }) });
    },
    feed: async (options: Partial<FeedMirrorOptions> = {}) => {
      const events: FeedEvent[] = [];
      const summary = await feedMirror({
        store: into,
        to: `sqlite:${join(folder.path, "search.db")}`,
        onEvent: (event) => events.push(event),
        ...options,
      });
      return { ...summary, events };
    },
    query: <Row>(sql: string): Row[] => {
      const database = new Database(join(folder.path, "search.db"));
      try {
        return database.prepare(sql).raw(true).all() as Row[];
      } finally {
        database.close();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}

const search = (words: string) =>
  `SELECT url FROM document JOIN search ON search.rowid = number WHERE search MATCH '${words}' ORDER BY url`;

test("an index holds what the mirror holds, and each change is written once", async () => {
  await using site = await openSite();
  site.write("a.html", "<html lang=en><title>Alpha</title><p>apples and pears");
  site.write("b.html", "<title>Beta</title><p>beans");
  site.write("c.css", "p { color: red }");
  await site.visit();
  const first = await site.feed();
  assert.deepEqual([first.indexed, first.deleted, first.withoutText, first.reset], [3, 0, 1, false]);
  assert.equal(site.query(search("apples")).length, 1);
  assert.equal((await site.feed()).indexed, 0);

  site.write("a.html", "<title>Alpha</title><p>oranges");
  site.write("d.txt", "grapes\n\nmore");
  site.remove("b.html");
  await site.visit();
  const second = await site.feed();
  assert.deepEqual([second.indexed, second.documents, second.deleted], [2, 2, 1]);
  assert.deepEqual(
    ["apples", "beans", "oranges", "grapes"].map((word) => site.query(search(word)).length),
    [0, 0, 1, 1],
  );
  assert.deepEqual(site.query("SELECT title, language FROM document WHERE title = 'Alpha'"), [["Alpha", ""]]);
  assert.equal(site.query("INSERT INTO search (search) VALUES ('integrity-check') RETURNING 1").length <= 1, true);
});

test("an unchanged piece of a changed page keeps its id and what was added to it", async () => {
  await using site = await openSite();
  const paragraph = (at: number) => `<p>Paragraph ${at} ${"of some length, so that pieces are cut. ".repeat(8)}</p>`;
  const page = (numbers: number[]) => `<body>${numbers.map(paragraph).join("")}`;
  const numbers = Array.from({ length: 30 }, (_, at) => at);
  site.write("long.html", page(numbers));
  await site.visit();
  await site.feed({ pieces: true });
  const ids = () => new Set(site.query<[string]>("SELECT id FROM document").map(([id]) => id));
  const before = ids();
  assert.ok(before.size > 5);
  site.write("long.html", page(numbers.toSpliced(15, 1)));
  await site.visit();
  await site.feed({ pieces: true });
  const after = ids();
  const fresh = [...after].filter((id) => !before.has(id));
  assert.ok(fresh.length >= 1 && fresh.length <= 3, `${fresh.length} of ${after.size} are new`);
  const pieces = site.query<[number]>("SELECT piece FROM document ORDER BY piece").map(([piece]) => piece);
  assert.deepEqual(pieces, [...pieces.keys()]);

  // Cut in another way, everything is written anew.
  const whole = await site.feed();
  assert.deepEqual([whole.reset, whole.documents], [true, 1]);
  assert.equal(ids().size, 1);
});

test("another crawler's state begins anew; nothing of the old one stays", async () => {
  await using site = await openSite();
  site.write("a.html", "<p>apples");
  await site.visit();
  await site.feed();
  rmSync(site.into, { recursive: true });
  site.remove("a.html");
  site.write("b.html", "<p>beans");
  await site.visit();
  const { reset, events } = await site.feed();
  assert.equal(reset, true);
  assert.ok(events.some((event) => event.event === "warning" && event.code === "reset"));
  assert.deepEqual(
    ["apples", "beans"].map((word) => site.query(search(word)).length),
    [0, 1],
  );
});

test("what cannot be fed is refused", async () => {
  await using site = await openSite();
  site.write("a.html", "<p>a");
  await site.visit();
  for (const to of ["search.db", "mysql://x/y", "opensearch+http://x/", "postgres://x/y?table=a;b", "sqlite:"])
    await assert.rejects(site.feed({ to }), { code: "bad-option" }, to);
  for (const to of ["postgres://u:secret%zz@127.0.0.1:9/x", "opensearch+http://u:secret%@127.0.0.1:9/x"])
    await assert.rejects(site.feed({ to }), { code: "bad-option", message: /^"[a-z+]*:\/\/…@127/ }, to);
  const other = join(site.folder, "other.db");
  const database = new Database(other);
  database.exec("CREATE TABLE mine (x)");
  database.close();
  await assert.rejects(site.feed({ to: `sqlite:${other}` }), { code: "bad-option", message: /another program/ });
  writeFileSync(join(site.folder, "no.db"), "this is no database, but a text that is long enough to be told from one");
  await assert.rejects(site.feed({ to: `sqlite:${join(site.folder, "no.db")}` }), { code: "io" });
  await assert.rejects(site.feed({ to: "opensearch+http://127.0.0.1:9/x" }), { code: "site-unavailable" });
  await assert.rejects(site.feed({ to: "postgres://u@127.0.0.1:9/x" }), { code: "site-unavailable" });
  await assert.rejects(site.feed({ to: `sqlite:${join(site.folder, "no folder", "x.db")}` }), {
    code: "io",
    hint: /Look at/,
    message: /: it cannot be opened\.$/,
  });
  const unmade = join(site.folder, "unmade.db");
  await assert.rejects(site.feed({ store: site.folder, to: `sqlite:${unmade}` }), { code: "not-found" });
  assert.equal(existsSync(unmade), false);
  await assert.rejects(site.feed({ signal: AbortSignal.abort() }), { code: "aborted" });
});

test("documents have what the site states about their use; what is respected is left out, and leaves", async () => {
  await using site = await openSite();
  const prefer = (...rules: string[]): void => site.write("robots.txt", ["User-agent: *", ...rules, ""].join("\n"));
  prefer("Content-Usage: /a train-ai=n, search=y");
  site.write("a.html", "<title>A</title>apples");
  site.write("b.html", "<title>B</title>beans");
  await site.visit();
  const first = await site.feed({ respectUsage: ["ai-use"] });
  assert.deepEqual([first.indexed, first.disallowed], [2, 0]);
  const usage = "SELECT title, usage FROM document ORDER BY title";
  assert.deepEqual(site.query(usage), [
    ["A", "train-ai=n, search=y"],
    ["B", ""],
  ]);

  // With other uses everything is written anew.
  const other = await site.feed({ respectUsage: ["train-ai", "ai-use"] });
  assert.deepEqual([other.reset, other.indexed, other.disallowed], [true, 1, 1]);
  assert.deepEqual(site.query(usage), [["B", ""]]);
  const again = await site.feed({ respectUsage: ["ai-use", "train-ai"] });
  assert.deepEqual([again.reset, again.indexed, again.disallowed], [false, 0, 0]);

  prefer("Content-Usage: /b train-ai=n");
  for (const name of ["a", "b"]) site.write(`${name}.html`, `<title>${name.toUpperCase()}</title>pears`);
  await site.visit();
  const changed = await site.feed({ respectUsage: ["train-ai", "ai-use"] });
  assert.deepEqual([changed.reset, changed.indexed, changed.disallowed], [false, 1, 1]);
  assert.deepEqual(site.query(usage), [["A", ""]]);
  await assert.rejects(site.feed({ respectUsage: ["train" as "train-ai"] }), { code: "bad-option" });
});

test("an index of an earlier version gets its column of preferences", async () => {
  await using site = await openSite();
  site.write("a.html", "<title>A</title>apples");
  await site.visit();
  await site.feed();
  const database = new Database(join(site.folder, "search.db"));
  database.exec("ALTER TABLE document DROP COLUMN usage");
  database.close();
  site.write("robots.txt", "User-agent: *\nContent-Usage: train-ai=n\n");
  site.write("b.html", "<title>B</title>beans");
  await site.visit();
  assert.equal((await site.feed()).reset, false);
  assert.deepEqual(site.query("SELECT title, usage FROM document ORDER BY title"), [
    ["A", ""],
    ["B", "train-ai=n"],
  ]);
});
