import type { EpochSeconds, MovedUrls, PeerSite, PeerStore, ToldEvents, ToldUrlState } from "../../core/index.ts";
import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import { ToldComparison } from "./told-comparison.ts";

const sql = {
  site: "SELECT id, origin, writer FROM site WHERE origin = ?",
  read: "SELECT state FROM peer WHERE url = ?",
  write: "INSERT INTO peer (url, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
  // A text an event, its time first, since numbers of a row of JSON cost more than the search for it.
  news: `SELECT j.key, u.id, u.state, u.size, u.modified, u.asked, u.digest, s.is_deleted, s.born = s.seq, s.at FROM json_each(?2) j
    LEFT JOIN url u ON u.site = ?1 AND u.path = substr(j.value, 13)
    LEFT JOIN seen_change s ON s.site = ?1 AND s.path = substr(j.value, 13)
    WHERE u.asked IS NULL OR u.asked < CAST(substr(j.value, 1, 12) AS INTEGER)`,
  add: `INSERT INTO url (site, path, depth, state) SELECT value ->> 0, value ->> 1, 1, 'new' FROM json_each(?) WHERE true
    ON CONFLICT DO NOTHING`,
  // The next visit checks by its patterns what it did not find itself.
  narrow: `UPDATE source_state SET state = json_set(state, '$.hasOthers', json('true'))
    WHERE source = 'urls' AND site IN (SELECT value ->> 0 FROM json_each(?))`,
  // What waits after trouble goes on waiting.
  sooner: `UPDATE url SET unconfirmed = 1, due = iif(trouble IS NULL, 0, due)
    FROM json_each(?) j WHERE url.id = j.value AND url.state = 'known'`,
  later: `UPDATE url SET checked = max(coalesce(checked, 0), j.value ->> 1), due = max(due, j.value ->> 2)
    FROM json_each(?) j WHERE url.id = j.value ->> 0 AND url.state = 'known' AND unconfirmed = 0 AND trouble IS NULL`,
} as const;

type Row = [
  place: number,
  id: number | null,
  state: string | null,
  sizeBytes: number | null,
  modified: number | null,
  asked: number | null,
  digest: string | null,
  isDeleted: number | null,
  isFirst: number | null,
  at: number | null,
];

function stateOf(row: Row): ToldUrlState {
  const [place, id, state, sizeBytes, modified, askedAt, digest, isDeleted, isFirst, at] = row;
  const isHeld = sizeBytes !== null && modified !== null;
  const event =
    at === null || (isDeleted === 0 && !isHeld)
      ? undefined
      : isDeleted === 1
        ? { kind: "deleted" as const, sizeBytes: 0, modifiedAt: at, digest: undefined, at }
        : {
            kind: isFirst === 1 ? ("created" as const) : ("updated" as const),
            sizeBytes: sizeBytes ?? 0,
            modifiedAt: modified ?? at,
            digest: digest || undefined,
            at,
          };
  const isMovable = id === null || state === "known";
  return { at: place, id: id ?? undefined, isMovable, event, askedAt: askedAt ?? undefined };
}

/** What a crawler remembers of its peers, and how their events move the visits of its pages. */
export class StoredPeers implements PeerStore {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #onWrite: () => void;

  /** @param onWrite - called after each write to URLs */
  constructor(connection: Connection, file: string, onWrite: () => void) {
    this.#connection = connection;
    this.#file = file;
    this.#onWrite = onWrite;
  }

  findSite(wanted: string): PeerSite | undefined {
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.site).get(wanted));
    if (row === undefined) return undefined;
    const [id, origin, writer] = row as [number, string, string | null];
    return { id, origin, isPolled: writer !== "archives" && writer !== "resourcesync" };
  }

  lookAtNews(
    site: number,
    urls: ReadonlyArray<{ readonly path: string; readonly polledAt: EpochSeconds }>,
  ): ToldUrlState[] {
    const told = JSON.stringify(urls.map(({ path, polledAt }) => String(polledAt).padStart(12, "0") + path));
    return inDatabase(this.#file, () =>
      (prepareStatement(this.#connection, sql.news).all(site, told) as Row[]).map(stateOf),
    );
  }

  compare(site: number, told: ToldEvents, from: number, to: number): Uint8Array {
    return inDatabase(this.#file, () => new ToldComparison(told, from, to).run(this.#connection, site));
  }

  move({ added, sooner, later }: MovedUrls): void {
    if (added.length + sooner.length + later.length === 0) return;
    const told = JSON.stringify(added.map(({ site, path }) => [site, path]));
    inDatabase(this.#file, () =>
      transact(this.#connection, () => {
        prepareStatement(this.#connection, sql.add).run(told);
        prepareStatement(this.#connection, sql.narrow).run(told);
        prepareStatement(this.#connection, sql.sooner).run(JSON.stringify(sooner));
        prepareStatement(this.#connection, sql.later).run(JSON.stringify(later));
      }),
    );
    this.#onWrite();
  }

  together(act: () => void): void {
    inDatabase(this.#file, () => transact(this.#connection, act));
  }

  readPeer(url: string): unknown {
    const row = inDatabase(this.#file, () => prepareStatement(this.#connection, sql.read).get(url));
    return row === undefined ? undefined : JSON.parse((row as [string])[0]);
  }

  writePeer(url: string, state: unknown): void {
    inDatabase(this.#file, () => prepareStatement(this.#connection, sql.write).run(url, JSON.stringify(state)));
  }
}
