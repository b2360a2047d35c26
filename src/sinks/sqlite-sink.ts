import Database from "libsql";
import { TidemarkError } from "../core/index.ts";
import { wrapOtherDatabaseError } from "../storage/index.ts";
import type { SearchDocument, SearchPage } from "./search-document.ts";
import type { FeedPosition, Sink } from "./sink.ts";

/** Written into the file's header, so that no other database is taken for one of ours. */
const applicationId = 0x746d6678;

const schema = `
  PRAGMA application_id = ${applicationId};
  CREATE TABLE document (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, url TEXT NOT NULL, site TEXT NOT NULL, title TEXT NOT NULL,
    text TEXT NOT NULL, language TEXT NOT NULL, media_type TEXT NOT NULL, last_modified INTEGER NOT NULL,
    size INTEGER NOT NULL, piece INTEGER NOT NULL, usage TEXT NOT NULL DEFAULT '');
  CREATE INDEX document_url ON document (url);
  CREATE VIRTUAL TABLE search USING fts5(
    title, text, content = 'document', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');
  CREATE TRIGGER document_added AFTER INSERT ON document BEGIN
    INSERT INTO search (rowid, title, text) VALUES (new.number, new.title, new.text);
  END;
  CREATE TRIGGER document_removed AFTER DELETE ON document BEGIN
    INSERT INTO search (search, rowid, title, text) VALUES ('delete', old.number, old.title, old.text);
  END;
  CREATE TRIGGER document_changed AFTER UPDATE OF title, text ON document BEGIN
    INSERT INTO search (search, rowid, title, text) VALUES ('delete', old.number, old.title, old.text);
    INSERT INTO search (rowid, title, text) VALUES (new.number, new.title, new.text);
  END;
  CREATE TABLE position (epoch TEXT NOT NULL, number INTEGER NOT NULL, in_pieces INTEGER NOT NULL);
`;

const upsert = `INSERT INTO document (id, url, site, title, text, language, media_type, last_modified, size, piece, usage)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET title = excluded.title, text = excluded.text, language = excluded.language,
    media_type = excluded.media_type, last_modified = excluded.last_modified, size = excluded.size,
    piece = excluded.piece, usage = excluded.usage`;

/**
 * An SQLite database with full text search (FTS5): table `document`, and `search` with its title and text. Position and
 * documents are of one transaction.
 */
export class SqliteSink implements Sink {
  readonly #file: string;
  readonly #database: InstanceType<typeof Database>;

  /** @throws TidemarkError `bad-option` if the file is another program's, `locked`, `disk-full`, `read-only`, `io` */
  constructor(file: string) {
    this.#file = file;
    this.#database = this.#tell(() => new Database(file, { timeout: 0 }));
    try {
      this.#tell(() => this.#begin());
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  async readPosition(): Promise<FeedPosition | undefined> {
    const [row] = this.#tell(() => this.#database.prepare("SELECT * FROM position").all()) as {
      epoch: string;
      number: number;
      in_pieces: number;
    }[];
    return row && { epoch: row.epoch, number: row.number, inPieces: row.in_pieces === 1 };
  }

  async clear(): Promise<void> {
    this.#transact(() => this.#database.exec("DELETE FROM document; DELETE FROM position"));
  }

  async write(pages: readonly SearchPage[], { epoch, number, inPieces }: FeedPosition): Promise<void> {
    const database = this.#database;
    this.#transact(() => {
      const known = database.prepare("SELECT id FROM document WHERE url = ?").raw(true);
      const remove = database.prepare("DELETE FROM document WHERE id = ?");
      const put = database.prepare(upsert);
      for (const { url, documents } of pages) {
        const kept = new Set(documents.map(({ id }) => id));
        for (const [id] of known.all(url) as [string][]) if (!kept.has(id)) remove.run(id);
        for (const document of documents) put.run(...valuesOf(document));
      }
      database.exec("DELETE FROM position");
      database.prepare("INSERT INTO position VALUES (?, ?, ?)").run(epoch, number, inPieces ? 1 : 0);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  #begin(): void {
    const database = this.#database;
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    const [id] = database.prepare("PRAGMA application_id").raw(true).get() as [number];
    if (id === applicationId) {
      this.#addUsage();
      return;
    }
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema").get() === undefined;
    if (!isEmpty)
      throw new TidemarkError("bad-option", `${this.#file} is a database of another program.`, {
        hint: "Name a file that is not there yet.",
        details: { file: this.#file },
      });
    this.#transact(() => database.exec(schema));
  }

  /** Earlier versions wrote no preferences. */
  #addUsage(): void {
    const columns = this.#database.prepare("SELECT name FROM pragma_table_info('document')").raw(true).all();
    if ((columns as [string][]).some(([name]) => name === "usage")) return;
    this.#database.exec("ALTER TABLE document ADD COLUMN usage TEXT NOT NULL DEFAULT ''");
  }

  #transact(act: () => void): void {
    this.#tell(() => {
      this.#database.exec("BEGIN IMMEDIATE");
      try {
        act();
        this.#database.exec("COMMIT");
      } catch (error) {
        if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /** Says which file it was. */
  #tell<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      throw wrapOtherDatabaseError(error, "The search database", this.#file);
    }
  }
}

function valuesOf(document: SearchDocument): (string | number)[] {
  const { id, url, site, title, text, language, mediaType, lastModified, sizeBytes, piece, usage } = document;
  return [id, url, site, title, text, language, mediaType, lastModified, sizeBytes, piece, usage];
}
