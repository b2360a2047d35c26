import { isDeepStrictEqual } from "node:util";
import postgres from "postgres";
import { TidemarkError } from "../core/index.ts";
import type { SearchDocument, SearchPage } from "./search-document.ts";
import type { FeedPosition, Sink } from "./sink.ts";

/** Characters of title and of text whose words are looked for. */
const searchedCharacters = 200_000;
/**
 * A tsvector has at most 1 MiB. Title and text of this many characters fit, whatever they are: a character has at most 4 bytes,
 * and the words of `a-b` are `a`, `b` and `a-b`, with some 5 bytes more each.
 */
const mostTitle = 10_000;
const mostText = 110_000;
/** PostgreSQL's code of `program_limit_exceeded`. */
const limitExceeded = "54000";

/** Configurations of text search that PostgreSQL brings, by language. */
const configurations: Readonly<Record<string, string>> = {
  ar: "arabic",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  fi: "finnish",
  fr: "french",
  hu: "hungarian",
  it: "italian",
  nl: "dutch",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sv: "swedish",
  tr: "turkish",
};

/**
 * A table of PostgreSQL with full text search: column `search`, a tsvector of title and text in the words of the page's
 * language. Position and documents are of one transaction.
 */
export class PostgresSink implements Sink {
  readonly #sql: postgres.Sql;
  readonly #table: string;
  readonly #where: string;
  /** As it was read, or written last. */
  #position: FeedPosition | undefined;

  private constructor(sql: postgres.Sql, table: string, where: string) {
    this.#sql = sql;
    this.#table = table;
    this.#where = where;
  }

  /**
   * Connects, and makes the tables if they are not there.
   *
   * @param url - `postgres://user:password@host:port/database`
   * @throws TidemarkError `site-unavailable` if the server cannot be used, `locked` if another feed writes the table
   */
  static async open(url: URL, table: string): Promise<PostgresSink> {
    const where = `${url.host}${url.pathname}`;
    const sql = postgres(url.href, { max: 1, onnotice: () => undefined, connect_timeout: 10, idle_timeout: 0 });
    const sink = new PostgresSink(sql, table, where);
    try {
      await sink.#begin();
      return sink;
    } catch (error) {
      await sql.end({ timeout: 1 });
      throw sink.#wrap(error);
    }
  }

  async readPosition(): Promise<FeedPosition | undefined> {
    return this.#position;
  }

  async clear(): Promise<void> {
    await this.#told(
      this.#sql.begin(async (sql) => {
        await this.#hold(sql);
        await sql`DELETE FROM ${sql(this.#table)}`;
        await sql`DELETE FROM tidemark_feed WHERE name = ${this.#table}`;
      }),
    );
    this.#position = undefined;
  }

  async write(pages: readonly SearchPage[], { epoch, number, inPieces }: FeedPosition): Promise<void> {
    const documents = pages.flatMap((page) => page.documents).map(rowOf);
    const urls = pages.map(({ url }) => clean(url));
    const kept = documents.map(({ id }) => id);
    await this.#told(
      this.#sql.begin(async (sql) => {
        await this.#hold(sql);
        const table = sql(this.#table);
        await sql`DELETE FROM ${table} WHERE url = ANY(${urls}) AND NOT (id = ANY(${kept}))`;
        for (const row of documents) await this.#insert(sql, row);
        await sql`INSERT INTO tidemark_feed ${sql({ name: this.#table, epoch, number, in_pieces: inPieces })}
          ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, number = excluded.number,
            in_pieces = excluded.in_pieces`;
      }),
    );
    this.#position = { epoch, number, inPieces };
  }

  /** A connection that broke, or became old, is made anew, without its lock: another feed may have written meanwhile. */
  async #hold(sql: postgres.TransactionSql): Promise<void> {
    await this.#lock(sql);
    if (!isDeepStrictEqual(await this.#read(sql), this.#position)) throw this.#locked();
  }

  async #lock(sql: postgres.ISql): Promise<void> {
    const [lock] = await sql<{ held: boolean }[]>`
      SELECT pg_try_advisory_lock(hashtextextended(${`tidemark feed ${this.#table}`}, 0)) AS held`;
    if (lock?.held !== true) throw this.#locked();
  }

  #locked(): TidemarkError {
    return new TidemarkError("locked", `Another feed writes the table ${this.#table} of ${this.#where}.`, {
      hint: "Wait until it has ended, or name another table: postgres://…?table=NAME.",
    });
  }

  async #read(sql: postgres.ISql): Promise<FeedPosition | undefined> {
    const [row] = await sql<{ epoch: string; number: string; in_pieces: boolean }[]>`
      SELECT epoch, number, in_pieces FROM tidemark_feed WHERE name = ${this.#table}`;
    return row && { epoch: row.epoch, number: Number(row.number), inPieces: row.in_pieces };
  }

  /** Writes a row; one whose words are too many for a tsvector with less of its title and text. */
  async #insert(sql: postgres.TransactionSql, row: Row): Promise<void> {
    const insert = async (own: postgres.TransactionSql, columns: Row): Promise<void> => {
      await own`INSERT INTO ${own(this.#table)} ${own(columns)} ON CONFLICT (id) DO UPDATE SET title = excluded.title,
        text = excluded.text, language = excluded.language, configuration = excluded.configuration,
        media_type = excluded.media_type, last_modified = excluded.last_modified, size = excluded.size,
        piece = excluded.piece, usage = excluded.usage`;
    };
    if (row.title.length <= mostTitle && row.text.length <= mostText) return await insert(sql, row);
    try {
      await sql.savepoint(async (own) => await insert(own, row));
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== limitExceeded) throw error;
      await insert(sql, { ...row, title: row.title.slice(0, mostTitle), text: row.text.slice(0, mostText) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }

  async #begin(): Promise<void> {
    const sql = this.#sql;
    await this.#lock(sql);
    const table = sql(this.#table);
    const [made] = await sql`SELECT to_regclass(${`"${this.#table}"`}) AS name`;
    await sql`CREATE TABLE IF NOT EXISTS tidemark_feed (
      name text PRIMARY KEY, epoch text NOT NULL, number bigint NOT NULL, in_pieces boolean NOT NULL)`;
    if (made?.name != null) {
      this.#position = await this.#read(sql);
      // Earlier versions wrote no preferences.
      await sql`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS usage text NOT NULL DEFAULT ''`;
      return;
    }
    const words = (column: string) => `to_tsvector(configuration, left(${column}, ${searchedCharacters}))`;
    await sql.begin(async (own) => {
      // Of a table that somebody dropped.
      await own`DELETE FROM tidemark_feed WHERE name = ${this.#table}`;
      await own`CREATE TABLE ${table} (
        id text PRIMARY KEY, url text NOT NULL, site text NOT NULL, title text NOT NULL, text text NOT NULL,
        language text NOT NULL, configuration regconfig NOT NULL, media_type text NOT NULL,
        last_modified timestamptz NOT NULL, size bigint NOT NULL, piece integer NOT NULL,
        usage text NOT NULL DEFAULT '',
        search tsvector GENERATED ALWAYS AS (
          setweight(${own.unsafe(words("title"))}, 'A') || setweight(${own.unsafe(words("text"))}, 'B')) STORED)`;
      await own`CREATE INDEX ON ${table} USING gin (search)`;
      // A URL may be longer than what an index of order takes.
      await own`CREATE INDEX ON ${table} USING hash (url)`;
    });
  }

  async #told<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw this.#wrap(error);
    }
  }

  #wrap(error: unknown): unknown {
    if (error instanceof TidemarkError || !(error instanceof Error)) return error;
    return new TidemarkError("site-unavailable", `PostgreSQL at ${this.#where}: ${error.message}`, {
      hint: "Look at the server, its database and the rights of the user; run the same command again.",
      details: { server: this.#where },
      cause: error,
    });
  }
}

/** Text without NUL, which PostgreSQL cannot hold. */
function clean(text: string): string {
  return text.replaceAll("\0", "");
}

type Row = ReturnType<typeof rowOf>;

function rowOf(document: SearchDocument) {
  const { id, url, site, title, text, language, mediaType, lastModified, sizeBytes, piece, usage } = document;
  return {
    id,
    url: clean(url),
    site,
    title: clean(title),
    text: clean(text),
    language,
    configuration: configurations[language] ?? "simple",
    media_type: mediaType,
    last_modified: new Date(lastModified * 1000),
    size: sizeBytes,
    piece,
    usage,
  };
}
