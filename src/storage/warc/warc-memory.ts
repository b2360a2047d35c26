import type { EpochSeconds } from "../../core/index.ts";
import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";

/** The newest payload of a URL, and the record that holds its bytes. */
export interface HeldPayload {
  readonly url: string;
  /** Digest of the payload as WARC has it. */
  readonly payload: string;
  /** Digest of the payload as pages have it; undefined once the page was withdrawn. */
  readonly digest: string | undefined;
  readonly sizeBytes: number;
  /** The record's id, URL, time and place: those of the URL itself, or of another that gave the same bytes. */
  readonly record: string;
  readonly target: string;
  readonly date: EpochSeconds;
  readonly file: string;
  readonly offset: number;
  /** Names the fields that describe the payload; undefined where an older version did not note that. */
  readonly fields: string | undefined;
}

type Row = [string, string, string | null, number, string, string, number, string, number, string | null];

const columns = "url, payload, digest, size, record, target, date, file, offset, fields";
const sql = {
  find: `SELECT ${columns} FROM warc_record WHERE site = ?1 AND url = ?2`,
  findPayload: `SELECT ${columns} FROM warc_record WHERE site = ?1 AND payload = ?2 AND fields = ?3 LIMIT 1`,
  keep: `INSERT OR REPLACE INTO warc_record (site, ${columns})
    SELECT ?1, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, value ->> 9 FROM json_each(?2)`,
} as const;

function payloadOf(row: unknown): HeldPayload | undefined {
  if (row === undefined) return undefined;
  const [url, payload, digest, sizeBytes, record, target, date, file, offset, fields] = row as Row;
  const known = { digest: digest ?? undefined, fields: fields ?? undefined };
  return { url, payload, sizeBytes, record, target, date, file, offset, ...known };
}

function rowOf(held: HeldPayload): Row {
  const { url, payload, digest, sizeBytes, record, target, date, file, offset, fields } = held;
  return [url, payload, digest ?? null, sizeBytes, record, target, date, file, offset, fields ?? null];
}

/** For so many URLs the earlier payload is remembered; fewer are under way at once. */
const maxReplaced = 1024;

/** What a site's WARC files hold. What is remembered becomes durable with {@link commit}. */
export class WarcMemory {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #site: number;
  /** Not committed yet, by URL and by payload. */
  #pending = new Map<string, HeldPayload>();
  #pendingPayloads = new Map<string, HeldPayload>();
  readonly #replaced = new Map<string, HeldPayload>();

  constructor(connection: Connection, file: string, site: number) {
    this.#connection = connection;
    this.#file = file;
    this.#site = site;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  find(url: string): HeldPayload | undefined {
    return this.#pending.get(url) ?? this.#get(sql.find, url);
  }

  /** Finds a payload that any URL of the site has with such fields. */
  findPayload(payload: string, fields: string): HeldPayload | undefined {
    return this.#pendingPayloads.get(payload + fields) ?? this.#get(sql.findPayload, payload, fields);
  }

  /** Finds what a URL had before what it has now, if it was remembered in this run and not long ago. */
  findReplaced(url: string): HeldPayload | undefined {
    return this.#replaced.get(url);
  }

  /** @param replaced - what the URL had until now */
  remember(held: HeldPayload, replaced?: HeldPayload): void {
    this.#pending.set(held.url, held);
    if (held.fields !== undefined) this.#pendingPayloads.set(held.payload + held.fields, held);
    this.#replaced.delete(held.url);
    if (replaced === undefined) return;
    this.#replaced.set(held.url, replaced);
    const [oldest] = this.#replaced.keys();
    if (this.#replaced.size > maxReplaced && oldest !== undefined) this.#replaced.delete(oldest);
  }

  /** Makes everything that was remembered durable; the records themselves must be. */
  commit(): void {
    const rows = [...this.#pending.values()].map(rowOf);
    if (rows.length === 0) return;
    inDatabase(this.#file, () =>
      transact(this.#connection, () =>
        prepareStatement(this.#connection, sql.keep).run(this.#site, JSON.stringify(rows)),
      ),
    );
    this.#pending = new Map();
    this.#pendingPayloads = new Map();
  }

  #get(text: string, ...keys: readonly string[]): HeldPayload | undefined {
    return inDatabase(this.#file, () => payloadOf(prepareStatement(this.#connection, text).get(this.#site, ...keys)));
  }
}
