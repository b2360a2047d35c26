import assert from "node:assert/strict";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import Database from "libsql";
import postgres from "postgres";
import { crawlSite } from "../../src/crawler/crawl-site.ts";
import { exportSite } from "../../src/exporter/export-site.ts";
import { serveFolder } from "../../src/server/index.ts";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { type CommandResult, startTidemark } from "./command.ts";
import { requireCached, skipWithout, skipWithoutCached } from "./programs.ts";
import { type SearchServer, startOpenSearch, startPostgres } from "./search-servers.ts";

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
  const sql = postgres(server.to.replace("?table=", ""), { max: 1, onnotice: () => undefined });
  return {
    to: (name) => server.to + name,
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

describe("search indexes hold what a mirror holds", {
  skip: skipWithoutCached("docs-1", "opensearch-1") || skipWithout("java", "pg_ctlcluster"),
}, () => {
  let temp: TempFolder;
  let docroot: string;
  let mirror: string;
  let visit: () => Promise<void>;
  let server: Awaited<ReturnType<typeof serveFolder>>;

  before(async () => {
    temp = makeTempFolder("sinks");
    docroot = join(temp.path, "site");
    mirror = join(temp.path, "mirror");
    cpSync(join(requireCached("docs-1"), "usr/share/doc/apache2-doc/manual/en"), docroot, { recursive: true });
    server = await serveFolder({ folder: docroot, host: "127.0.0.1", port: 0 });
    visit = async () => {
      await exportSite({ docroot, baseUrl: server.url, stateDir: join(temp.path, "state") });
      await crawlSite({ url: server.url, into: mirror });
    };
    await visit();
  });
  after(async () => {
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

  for (const [name, open] of Object.entries(sinks)) {
    it(`${name}: killed, fed again, told of a change and of a deletion`, async () => {
      const sink = await open(temp.path);
      try {
        for (let kills = 0; kills < 6; kills++) {
          const { child, result } = startTidemark(["feed", mirror, "--to", sink.to("killed"), "--chunks"]);
          await delay(400 + 450 * kills);
          child.kill("SIGKILL");
          await result;
        }
        await feed(sink.to("killed"));
        await feed(sink.to("whole"));
        const whole = await sink.read("whole");
        assert.ok(whole.size > 1500, `${whole.size} pieces`);
        assert.deepEqual(await sink.read("killed"), whole);
        assert.deepEqual(countsOf(await feed(sink.to("killed"))), [0, 0]);
        assert.ok((await sink.find("whole", "canonical")).length > 3);

        writeFileSync(join(docroot, "new.html"), "<html lang=en><title>New</title><body><p>A quokka, for once.");
        writeFileSync(
          join(docroot, "license.html"),
          "<html lang=en><title>License</title><body><p>All wombats reserved.",
        );
        rmSync(join(docroot, "faq", "index.html"));
        await visit();
        assert.deepEqual(countsOf(await feed(sink.to("killed"))), [2, 1]);
        assert.deepEqual(await sink.find("killed", "quokka"), [new URL("new.html", server.url).href]);
        assert.deepEqual(await sink.find("killed", "wombats"), [new URL("license.html", server.url).href]);
        const held = [...(await sink.read("killed")).keys()];
        assert.equal(held.filter((key) => key.includes("/faq/")).length, 0);
        assert.equal(held.filter((key) => key.includes("/license.html ")).length, 1);
      } finally {
        await sink.close();
        rmSync(docroot, { recursive: true });
        cpSync(join(requireCached("docs-1"), "usr/share/doc/apache2-doc/manual/en"), docroot, { recursive: true });
        await visit();
      }
    });
  }
});
