import { digestBytes, type Settlement } from "../../core/index.ts";
import { type Connection, prepareStatement, type SqlValue, type Statement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";

/** The body of a page in a store of objects. */
export interface KeptObject {
  /** Its name below that of the site: SHA-256 in hexadecimal digits, a dot, and the epoch of its writer. */
  readonly object: string;
  readonly sizeBytes: number;
}

/** Who writes bodies of a site: each holder has a higher epoch than the one before. */
export interface ObjectWriter {
  /** The crawl that the objects belong to: lower-case letters and digits. */
  readonly crawl: string;
  /** Such as the fencing epoch of the lease of the site. */
  readonly epoch: number;
}

const sql = {
  newCrawl: "INSERT INTO object_crawl (id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM object_crawl)",
  ownCrawl:
    "INSERT INTO object_crawl (id) SELECT lower(hex(randomblob(8))) WHERE NOT EXISTS (SELECT 1 FROM object_crawl)",
  crawl: "SELECT id, is_marked FROM object_crawl",
  mark: "UPDATE object_crawl SET is_marked = 1",
  epoch: "SELECT epoch FROM object_writer WHERE site = ?1",
  write: "INSERT INTO object_writer (site, epoch) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET epoch = excluded.epoch",
  find: "SELECT object, size FROM object_body WHERE site = ?1 AND path = ?2",
  // What follows a dot is behind it and before a slash.
  content: "SELECT object FROM object_body WHERE site = ?1 AND object > ?2 || '.' AND object < ?2 || '/' LIMIT 1",
  referred: "SELECT 1 FROM object_body WHERE site = ?1 AND object = ?2 LIMIT 1",
  // Before the rows change: those that nobody else has.
  leave: `INSERT OR IGNORE INTO object_left (site, object)
    SELECT site, object FROM object_body WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))`,
  remove: "DELETE FROM object_body WHERE site = ?1 AND path IN (SELECT value FROM json_each(?2))",
  keep: `INSERT INTO object_body (site, path, object, size)
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?2) WHERE true
    ON CONFLICT DO UPDATE SET object = excluded.object, size = excluded.size`,
  unheld: `SELECT path FROM object_body b WHERE site = ?1 AND path > ?2
    AND NOT EXISTS (SELECT 1 FROM url u WHERE u.site = b.site AND u.path = b.path AND u.digest IS NOT NULL)
    ORDER BY path LIMIT ?3`,
  left: `SELECT object FROM object_left l WHERE site = ?1 AND object > ?2
    AND NOT EXISTS (SELECT 1 FROM object_body b WHERE b.site = l.site AND b.object = l.object) ORDER BY object LIMIT ?3`,
  forgetLeft: "DELETE FROM object_left WHERE site = ?1",
} as const;

const rowsAtATime = 1000;
/** After so many visits all objects of a site are listed once. */
const epochsBetweenSweeps = 64;

/** The digest of the page whose body an object is. */
export function digestOfObject(object: string): string {
  return Buffer.from(object.slice(0, 2 * digestBytes), "hex").toString("base64url");
}

/** Which object has the body of each page of a site; it changes in the transaction that remembers the pages. */
export class ObjectIndex {
  readonly crawl: string;
  readonly epoch: number;
  /**
   * Whether the state is as the holder before committed it. Opened again under the same epoch, it may have changes that are
   * not committed yet, and never will be if the lease is lost.
   */
  readonly mayRemove: boolean;
  /** Whether a holder may have left objects of which nothing is remembered. */
  readonly isDoubted: boolean;
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  /** Bodies that are stored and not settled yet, the newest last; after the last removal, if there was one. */
  readonly #stored = new Map<string, (KeptObject | "removed")[]>();

  /**
   * @param writer - default: a crawl of its own, whose holders are counted
   * @param isBroken - whether the visit before did not end, or the site begins anew
   */
  constructor(
    connection: Connection,
    { file, site }: { readonly file: string; readonly site: number },
    writer: ObjectWriter | undefined,
    isBroken: boolean,
  ) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
    const { crawl, epoch, before } = inDatabase(file, () =>
      transact(connection, () => {
        if (writer === undefined) this.#statement(sql.ownCrawl).run();
        else this.#statement(sql.newCrawl).run(writer.crawl);
        const [known] = this.#statement(sql.crawl).get() as [string];
        const [before = 0] = (this.#statement(sql.epoch).get(site) as [number] | undefined) ?? [];
        const next = writer?.epoch ?? before + 1;
        this.#statement(sql.write).run(site, next);
        return { crawl: known, epoch: next, before };
      }),
    );
    if (writer !== undefined && crawl !== writer.crawl) throw new TypeError(`the state is of the crawl ${crawl}`);
    this.crawl = crawl;
    this.epoch = epoch;
    this.mayRemove = epoch !== before;
    this.isDoubted = epoch > 1 && (isBroken || epoch !== before + 1 || epoch % epochsBetweenSweeps === 0);
  }

  /** Whether the store was found to be the one that has the crawl's bodies. */
  get isMarked(): boolean {
    return (inDatabase(this.#file, () => this.#statement(sql.crawl).get()) as [string, number])[1] === 1;
  }

  mark(): void {
    inDatabase(this.#file, () => this.#statement(sql.mark).run());
  }

  /** The newest body of a page. */
  find(path: string): KeptObject | undefined {
    const newest = this.#stored.get(path)?.at(-1);
    if (newest !== undefined) return newest === "removed" ? undefined : newest;
    const row = this.#read(sql.find, path) as [string, number] | undefined;
    return row === undefined ? undefined : { object: row[0], sizeBytes: row[1] };
  }

  /** An object that some page has, by the SHA-256 of its bytes. */
  findContent(sha256: string): string | undefined {
    return (this.#read(sql.content, sha256) as [string] | undefined)?.[0];
  }

  /** Whether a page has an object. */
  refersTo(object: string): boolean {
    return this.#read(sql.referred, object) !== undefined;
  }

  /** Notes a body that is stored, until its page is settled. */
  noteStored(path: string, kept: KeptObject): void {
    this.#stored.set(path, [...(this.#stored.get(path) ?? []), kept]);
  }

  noteRemoved(path: string): void {
    this.#stored.set(path, ["removed"]);
  }

  /** Remembers the objects of pages within the transaction that remembers the pages. */
  settleWithin(settlements: readonly Settlement[]): void {
    const removed: string[] = [];
    const kept: [string, string, number][] = [];
    for (const settlement of settlements) {
      const { path } = settlement.url;
      const stored = this.#stored.get(path) ?? [];
      if (settlement.kind === "removed" || settlement.kind === "alias") {
        removed.push(path);
        // Later ones are settled later.
        this.#store(path, stored.slice(stored.indexOf("removed") + 1));
      } else if (settlement.kind === "answered" && settlement.page !== undefined) {
        const { digest } = settlement.page;
        const at = stored.findIndex((one) => one !== "removed" && digestOfObject(one.object) === digest);
        const found = stored[at];
        if (found === undefined || found === "removed") continue;
        kept.push([path, found.object, found.sizeBytes]);
        this.#store(path, stored.slice(at + 1));
      }
    }
    const changed = JSON.stringify([...removed, ...kept.map(([path]) => path)]);
    if (removed.length + kept.length > 0) this.#write(sql.leave, changed);
    if (removed.length > 0) this.#write(sql.remove, JSON.stringify(removed));
    if (kept.length > 0) this.#write(sql.keep, JSON.stringify(kept));
  }

  /** Objects that no page has any more, as it was when the site was opened. */
  *left(): Generator<string[], void, void> {
    for (let after = ""; ; ) {
      const rows = this.#readAll(sql.left, after, rowsAtATime);
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  /** Says that they are removed. */
  forgetLeft(): void {
    inDatabase(this.#file, () => this.#write(sql.forgetLeft));
  }

  /** Forgets the bodies of pages that are not held, such as those of media types that are no longer wanted. */
  forgetUnheld(): void {
    inDatabase(this.#file, () =>
      transact(this.#connection, () => {
        for (let after = ""; ; ) {
          const paths = this.#readAll(sql.unheld, after, rowsAtATime);
          const last = paths.at(-1);
          if (last === undefined) return;
          this.#write(sql.leave, JSON.stringify(paths));
          this.#write(sql.remove, JSON.stringify(paths));
          after = last;
        }
      }),
    );
  }

  #store(path: string, stored: (KeptObject | "removed")[]): void {
    if (stored.length > 0) this.#stored.set(path, stored);
    else this.#stored.delete(path);
  }

  #read(text: string, ...parameters: readonly SqlValue[]): unknown {
    return inDatabase(this.#file, () => this.#statement(text).get(this.#site, ...parameters));
  }

  #readAll(text: string, ...parameters: readonly SqlValue[]): string[] {
    const rows = inDatabase(this.#file, () => this.#statement(text).all(this.#site, ...parameters)) as [string][];
    return rows.map(([first]) => first);
  }

  #write(text: string, ...parameters: readonly SqlValue[]): void {
    this.#statement(text).run(this.#site, ...parameters);
  }

  #statement(text: string): Statement {
    return prepareStatement(this.#connection, text);
  }
}
