import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Database from "libsql";
import postgres from "postgres";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { serveFolder } from "../../src/server/index.ts";
import { PostgresSink } from "../../src/sinks/postgres-sink.ts";
import { makeDocuments } from "../../src/sinks/search-document.ts";
import { startPostgres } from "../postgres-server.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { type CommandResult, startTidemark } from "./command.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";
import { type SearchServer, startOpenSearch } from "./search-servers.ts";

/** What an index has: texts by URL and piece. */
type Held = ReadonlyMap<string, string>;

interface TriedSink {
  readonly to: (name: string) => string;
  /** URLs whose text has a word. */
  readonly find: (name: string, word: string) => Promise<string[]>;
  readonly read: (name: string) => Promise<Held>;
  readonly close: () => Promise<void>;
}

function trySqlite(folder: string): TriedSink {
  const query = (name: string, sql: string, ...values: string[]): unknown[][] => {
    const database = new Database(join(folder, `${name}.db`));
    try {
      return database
        .prepare(sql)
        .raw(true)
        .all(...values) as unknown[][];
    } finally {
      database.close();
    }
  };
  return {
    to: (name) => `sqlite:${join(folder, `${name}.db`)}`,
    find: async (name, word) =>
      query(
        name,
        "SELECT DISTINCT url FROM document JOIN search ON search.rowid = number WHERE search MATCH ?",
        word,
      ).map(([url]) => String(url)),
    read: async (name) =>
      new Map(
        query(name, "SELECT url, piece, text FROM document").map(([url, piece, text]) => [
          `${url} ${piece}`,
          String(text),
        ]),
      ),
    close: async () => undefined,
  };
}

async function tryPostgres(folder: string): Promise<TriedSink> {
  const server = await startPostgres(folder);
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  return {
    to: (name) => `${server.url}?table=${name}`,
    find: async (name, word) => {
      const rows = await sql<{ url: string }[]>`
        SELECT DISTINCT url FROM ${sql(name)} WHERE search @@ websearch_to_tsquery('simple', ${word})
          OR search @@ websearch_to_tsquery('english', ${word})`;
      return rows.map(({ url }) => url);
    },
    read: async (name) => {
      const rows = await sql<{ url: string; piece: number; text: string }[]>`SELECT url, piece, text FROM ${sql(name)}`;
      return new Map(rows.map(({ url, piece, text }) => [`${url} ${piece}`, text]));
    },
    close: async () => {
      await sql.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function tryOpenSearch(folder: string): Promise<TriedSink> {
  const server: SearchServer = await startOpenSearch(folder);
  const base = server.to.replace("opensearch+", "");
  type Hit = { readonly _source: { readonly url: string; readonly piece: number; readonly text: string } };
  const search = async (name: string, query: object): Promise<Hit[]> => {
    const body = JSON.stringify({ size: 10_000, query });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${base}${name}/_search`, { method: "POST", headers, body });
    return ((await answer.json()) as { hits: { hits: Hit[] } }).hits.hits;
  };
  return {
    to: (name) => server.to + name,
    find: async (name, word) => [
      ...new Set((await search(name, { match: { text: word } })).map(({ _source }) => _source.url)),
    ],
    read: async (name) =>
      new Map(
        (await search(name, { match_all: {} })).map(({ _source: { url, piece, text } }) => [`${url} ${piece}`, text]),
      ),
    close: async () => await server[Symbol.asyncDispose](),
  };
}

const sinks: Readonly<Record<string, (folder: string) => Promise<TriedSink>>> = {
  SQLite: async (folder) => trySqlite(folder),
  PostgreSQL: tryPostgres,
  OpenSearch: tryOpenSearch,
};

/** Larger pages only take longer to read. */
const mostPageBytes = 16_000;

function copyDocs(to: string): void {
  const docs = join(requireCached("docs-1"), "usr/share/doc/apache2-doc/manual/en");
  const filter = (file: string): boolean => statSync(file).isDirectory() || statSync(file).size < mostPageBytes;
  cpSync(docs, to, { recursive: true, filter });
}

describe("search indexes hold what a mirror holds", {
  skip: skipWithoutCached("docs-1", "opensearch-1") || skipWithout("java", "pg_ctlcluster"),
}, () => {
  let temp: TempFolder;
  let docroot: string;
  let mirror: string;
  let visit: () => Promise<void>;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  const opened = new Map<string, Promise<TriedSink>>();

  before(async () => {
    temp = makeTempFolder("sinks");
    docroot = join(temp.path, "site");
    mirror = join(temp.path, "mirror");
    // They start while others are tried.
    for (const [name, open] of Object.entries(sinks)) {
      const sink = open(temp.path);
      sink.catch(() => undefined);
      opened.set(name, sink);
    }
    // Twice, so that there are more than one batch.
    copyDocs(docroot);
    copyDocs(join(docroot, "again"));
    server = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0 });
    visit = async () => {
      await exportSite({ docroot, baseUrl: server.url, stateDir: join(temp.path, "state") });
      await crawlSite({ url: server.url, into: mirror });
    };
    await visit();
  });
  after(async () => {
    for (const sink of opened.values()) await sink.then(({ close }) => close()).catch(() => undefined);
    await server.close();
    temp[Symbol.dispose]();
  });

  const feed = async (to: string): Promise<CommandResult> => {
    const result = await startTidemark(["feed", mirror, "--to", to, "--chunks", "--json"]).result;
    assert.equal(result.exitCode, 0, result.stderr);
    return result;
  };
  const countsOf = ({ events }: CommandResult): unknown[] => {
    const last = events.at(-1);
    return [last?.indexed, last?.deleted];
  };

  /** Kills a feed after some time, or as soon as its first batch is written. @returns whether it was under way */
  const killFeed = async (to: string, when: number | "batch"): Promise<boolean> => {
    const { child, result } = startTidemark(["feed", mirror, "--to", to, "--chunks", "--json"]);
    if (when === "batch" && child.stdout !== null) await once(createInterface({ input: child.stdout }), "line");
    else await delay(Number(when));
    child.kill("SIGKILL");
    const { events } = await result;
    return events.at(-1)?.event !== "summary";
  };

  for (const name of Object.keys(sinks))
    it(`${name}: killed, fed again, told of a change and of a deletion`, async () => {
      const sink = await opened.get(name);
      assert.ok(sink !== undefined);
      let kills = 0;
      for (const when of [300, 700, "batch", 500] as const) kills += Number(await killFeed(sink.to("killed"), when));
      assert.ok(kills > 0, "no feed was killed");
      await feed(sink.to("killed"));
      await feed(sink.to("whole"));
      const whole = await sink.read("whole");
      assert.ok(whole.size > 700, `${whole.size} pieces`);
      assert.deepEqual(await sink.read("killed"), whole);
      assert.deepEqual(countsOf(await feed(sink.to("killed"))), [0, 0]);
      assert.ok((await sink.find("whole", "canonical")).length > 1);

      // Pages of this sink's own: the others find them as they are.
      const [created, updated, deleted] = [`new-${name}.html`, "license.html", `new-${name}-soon-gone.html`];
      writeFileSync(join(docroot, deleted), "<html lang=en><title>Gone</title><body><p>A numbat, for now.");
      await visit();
      await feed(sink.to("killed"));
      assert.deepEqual(await sink.find("killed", "numbat"), [new URL(deleted, server.url).href]);
      const animals = `wombats of ${name}`;
      writeFileSync(join(docroot, created), `<html lang=en><title>New</title><body><p>A quokka, for ${name}.`);
      writeFileSync(join(docroot, updated), `<html lang=en><title>License</title><body><p>All ${animals} reserved.`);
      rmSync(join(docroot, deleted));
      await visit();
      assert.deepEqual(countsOf(await feed(sink.to("killed"))), [2, 1]);
      const urlsOf = (...pages: string[]) => pages.map((page) => new URL(page, server.url).href);
      assert.ok((await sink.find("killed", "quokka")).includes(String(urlsOf(created))));
      assert.deepEqual(await sink.find("killed", "wombats"), urlsOf(updated));
      assert.deepEqual(await sink.find("killed", "numbat"), []);
      const held = [...(await sink.read("killed")).keys()];
      assert.equal(held.filter((key) => key.startsWith(`${urlsOf(updated)} `)).length, 1);
    });
});

it("PostgreSQL takes pages with more words than a tsvector holds", { skip: skipWithout("pg_ctlcluster") }, async () => {
  using temp = makeTempFolder("tsvector");
  await using server = await startPostgres(temp.path);
  const letters = (at: number): string => String.fromCodePoint(0x20000 + (at % 40_000), 0x20000 + ((at * 7) % 30_011));
  // The most that a character can take: four bytes, in a word and in the compound that it is a part of.
  const compounds = (from: number): string =>
    Array.from({ length: 34_000 }, (_, at) => `${letters(from + 2 * at)}-${letters(from + 2 * at + 1)}`).join(" ");
  const long = Array.from({ length: 40_000 }, (_, at) => `w${at}`).join(" ");
  const contents = {
    ...{ title: [compounds(0), "short"], text: ["", compounds(0)], mixture: [compounds(0), compounds(100_000)] },
    long: ["", long],
  };
  const facts = { site: "http://a.example", language: "en", mediaType: "text/html", lastModified: 0, sizeBytes: 1 };
  const pages = Object.entries(contents).map(([name, [title = "", text = ""]]) => {
    const url = `http://a.example/${name}`;
    return { url, documents: makeDocuments({ ...facts, usage: "", url, title: `${name} ${title}`, text }, false) };
  });
  {
    await using sink = await PostgresSink.open(new URL(server.url), "pages");
    await sink.write(pages, { epoch: "a", number: 1, inPieces: false });
  }
  const sql = postgres(server.url, { max: 1 });
  try {
    const rows = await sql<{ url: string; text: string }[]>`
      SELECT url, text FROM pages WHERE search @@ to_tsquery('english', split_part(url, '/', 4))`;
    assert.equal(rows.length, pages.length, "each is found by the first word of its title");
    assert.equal(rows.find(({ url }) => url.endsWith("/long"))?.text, long, "what fits is kept whole");
  } finally {
    await sql.end();
  }
});

it("a feed into PostgreSQL whose connection broke writes on, unless another has written meanwhile", {
  skip: skipWithout("pg_ctlcluster"),
}, async () => {
  using temp = makeTempFolder("broken");
  await using server = await startPostgres(temp.path);
  const sql = postgres(server.url, { max: 1 });
  const cut = async (): Promise<void> => {
    await sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
    // The client learns of it a moment later.
    await new Promise((resolve) => setTimeout(resolve, 200));
  };
  const at = (number: number) => ({ epoch: "a", number, inPieces: false });
  try {
    await using first = await PostgresSink.open(new URL(server.url), "pages");
    await first.write([], at(1));
    await cut();
    await first.write([], at(2));
    await assert.rejects(PostgresSink.open(new URL(server.url), "pages"), { code: "locked" }, "it has its lock again");
    await cut();
    {
      await using second = await PostgresSink.open(new URL(server.url), "pages");
      assert.deepEqual(await second.readPosition(), at(2));
      await assert.rejects(first.write([], at(3)), { code: "locked" });
      await second.write([], at(5));
    }
    await assert.rejects(first.write([], at(3)), { code: "locked" });
    await assert.rejects(first.clear(), { code: "locked" });
    const rows = await sql`SELECT number::integer FROM tidemark_feed`;
    assert.deepEqual([...rows], [{ number: 5 }]);
  } finally {
    await sql.end();
  }
});

it("a table of PostgreSQL that was dropped is fed from the beginning", {
  skip: skipWithout("pg_ctlcluster"),
}, async () => {
  using temp = makeTempFolder("dropped");
  await using server = await startPostgres(temp.path);
  const position = { epoch: "a", number: 7, inPieces: false };
  for (const expected of [undefined, position]) {
    await using sink = await PostgresSink.open(new URL(server.url), "pages");
    assert.deepEqual(await sink.readPosition(), expected);
    await sink.write([], position);
  }
  const sql = postgres(server.url, { max: 1 });
  await sql`DROP TABLE pages`;
  await sql.end();
  await using sink = await PostgresSink.open(new URL(server.url), "pages");
  assert.equal(await sink.readPosition(), undefined);
});
