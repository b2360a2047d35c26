import type { AnsweredClaim, ClaimKind, ClaimStore, EpochSeconds, PeerClaim, StoredTrust } from "../../core/index.ts";
import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";

const columns = "c.peer, c.site, c.path, c.kind, c.source, c.polled, c.merged, c.is_open";
const isAnswered = "u.asked >= c.merged AND u.asked > coalesce(c.asked, -1)";
const openOf = "SELECT site, path FROM peer_claim WHERE peer = ?1 AND is_open = 1";
const onlyOf = `(${openOf} EXCEPT SELECT site, path FROM peer_claim WHERE peer <> ?1 AND is_open = 1)`;

const sql = {
  states: "SELECT peer, state FROM peer_trust ORDER BY peer",
  open: "SELECT peer, site, kind, count(*) FROM peer_claim WHERE is_open = 1 GROUP BY 1, 2, 3",
  of: `SELECT ${columns} FROM json_each(?2) j CROSS JOIN peer_claim c ON c.site = ?1 AND c.path = j.value`,
  claimed: "SELECT DISTINCT path FROM peer_claim WHERE site = ?",
  waiting: `SELECT ${columns} FROM peer_claim c WHERE peer = ?1 AND is_open = 0 ORDER BY id LIMIT ?2`,
  keep: `INSERT INTO peer_claim (peer, site, path, kind, source, polled, merged, is_open, asked, seen)
    SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4, j.value ->> 5, j.value ->> 6,
      j.value ->> 7, u.asked, s.seq
    FROM json_each(?) j LEFT JOIN url u ON u.site = j.value ->> 1 AND u.path = j.value ->> 2
    LEFT JOIN seen_change s ON s.site = j.value ->> 1 AND s.path = j.value ->> 2 WHERE u.trouble IS NULL
    ON CONFLICT DO UPDATE SET kind = excluded.kind, source = excluded.source, polled = excluded.polled,
      merged = iif(is_open = 1 AND excluded.kind = 'same', merged, excluded.merged), is_open = excluded.is_open,
      asked = iif(is_open = 1 AND excluded.kind = 'same', asked, excluded.asked),
      seen = iif(is_open = 1 AND excluded.kind = 'same', seen, excluded.seen)
      WHERE is_open = 0 OR kind = 'same'`,
  answered: `SELECT ${columns}, u.id, ${isAnswered}, u.digest IS NOT NULL, s.seq IS NOT c.seen, s.is_deleted, u.modified,
      u.trouble, u.is_link_only
    FROM peer_claim c LEFT JOIN url u ON u.site = c.site AND u.path = c.path
    LEFT JOIN seen_change s ON s.site = c.site AND s.path = c.path
    WHERE c.merged < ?1 OR (c.is_open = 0 AND u.asked >= c.polled) OR (c.is_open = 1 AND (u.id IS NULL OR (${isAnswered})
      OR (u.trouble IS NOT NULL AND u.trouble <> 'unavailable'))) ORDER BY c.id LIMIT ?2`,
  remove: `DELETE FROM peer_claim WHERE (site, path, peer) IN
    (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?))`,
  write: "INSERT INTO peer_trust (peer, state) VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state",
  forget: "DELETE FROM peer_trust WHERE peer = ?",
  forgetClaims: "DELETE FROM peer_claim WHERE peer = ?",
  // URLs that the peer added stay: a link may have named them since, and each costs one request.
  calm: `UPDATE url SET unconfirmed = 0 WHERE state = 'known' AND (site, path) IN ${onlyOf}`,
  // Most promises of a peer that was proven are not remembered one by one: those of others come again.
  recheck: `UPDATE url SET checked = NULL, due = 0 WHERE checked IS NOT NULL AND state = 'known' AND trouble IS NULL
    AND digest IS NOT NULL`,
  withdraw: "DELETE FROM peer_claim WHERE peer = ? AND kind <> 'create'",
} as const;

type ClaimRow = [
  peer: string,
  site: number,
  path: string,
  kind: ClaimKind,
  source: string,
  polled: number,
  merged: number,
  isOpen: number,
];
type PageRow = [
  id: number | null,
  isAnswered: number | null,
  isHeld: number,
  isChanged: number,
  isDeleted: number | null,
  modified: number | null,
  trouble: string | null,
  isLinkOnly: number | null,
];

function claimOf([peer, site, path, kind, source, polledAt, mergedAt, isOpen]: ClaimRow): PeerClaim {
  return { peer, site, path, kind, source, polledAt, mergedAt, isOpen: isOpen === 1 };
}

function pageOf([id, answered, isHeld, isChanged, isDeleted, modified, trouble, isLinkOnly]: PageRow) {
  if (id === null) return undefined;
  return {
    isAnswered: answered === 1,
    isHeld: isHeld === 1,
    isChanged: isChanged === 1,
    isDeleted: isDeleted === 1,
    modifiedAt: modified ?? undefined,
    trouble: trouble ?? undefined,
    isLinkOnly: isLinkOnly === 1,
  };
}

/** What peers claimed of pages until our own answers settle it, and how far each peer is trusted. */
export class StoredClaims implements ClaimStore {
  readonly #connection: Connection;
  readonly #file: string;
  readonly #onWrite: () => void;

  /** @param onWrite - called after each write to URLs; default: nobody has counted them */
  constructor(connection: Connection, file: string, onWrite: () => void = () => undefined) {
    this.#connection = connection;
    this.#file = file;
    this.#onWrite = onWrite;
  }

  readTrust(): StoredTrust {
    return inDatabase(this.#file, () => {
      const states = prepareStatement(this.#connection, sql.states).all() as [string, string][];
      const open = prepareStatement(this.#connection, sql.open).all() as [string, number, ClaimKind, number][];
      return {
        states: new Map(states.map(([peer, state]) => [peer, JSON.parse(state)])),
        open: open.map(([peer, site, kind, count]) => ({ peer, site, kind, count })),
      };
    });
  }

  findClaims(of: Parameters<ClaimStore["findClaims"]>[0]): PeerClaim[] {
    const [text, ...values] =
      "site" in of ? [sql.of, of.site, JSON.stringify(of.paths)] : ([sql.waiting, of.waitingOf, of.limit] as const);
    return inDatabase(this.#file, () =>
      (prepareStatement(this.#connection, text).all(...values) as ClaimRow[]).map(claimOf),
    );
  }

  listClaimed(site: number): string[] {
    return inDatabase(this.#file, () =>
      (prepareStatement(this.#connection, sql.claimed).all(site) as [string][]).map(([path]) => path),
    );
  }

  keepClaims(claims: readonly PeerClaim[]): void {
    if (claims.length === 0) return;
    const rows = claims.map(({ peer, site, path, kind, source, polledAt, mergedAt, isOpen }) => {
      return [peer, site, path, kind, source, polledAt, mergedAt, Number(isOpen)];
    });
    inDatabase(this.#file, () => prepareStatement(this.#connection, sql.keep).run(JSON.stringify(rows)));
  }

  listAnswered(expiredBefore: EpochSeconds, limit: number): AnsweredClaim[] {
    const rows = inDatabase(this.#file, () =>
      prepareStatement(this.#connection, sql.answered).all(expiredBefore, limit),
    );
    return (rows as [...ClaimRow, ...PageRow][]).map((row) => ({
      ...claimOf(row.slice(0, 8) as ClaimRow),
      page: pageOf(row.slice(8) as PageRow),
    }));
  }

  settleClaims({ done, states, withdrawnOf }: Parameters<ClaimStore["settleClaims"]>[0]): void {
    if (done.length + states.length + withdrawnOf.length === 0) return;
    const run = (text: string, ...values: string[]): unknown => prepareStatement(this.#connection, text).run(...values);
    inDatabase(this.#file, () =>
      transact(this.#connection, () => {
        run(sql.remove, JSON.stringify(done.map(({ site, path, peer }) => [site, path, peer])));
        for (const peer of withdrawnOf) for (const text of [sql.calm, sql.withdraw]) run(text, peer);
        if (withdrawnOf.length > 0) run(sql.recheck);
        for (const [peer, state] of states)
          if (state === undefined) for (const text of [sql.forget, sql.forgetClaims]) run(text, peer);
          else run(sql.write, peer, JSON.stringify(state));
      }),
    );
    if (withdrawnOf.length > 0) this.#onWrite();
  }
}
