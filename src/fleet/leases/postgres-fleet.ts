import { hostname } from "node:os";
import type { Sql } from "postgres";
import { boundHanded, boundPriority, boundText, boundWait, isOrigin } from "./bounds.ts";
import { type DueSite, parkedMs } from "./crowded-addresses.ts";
import type { FleetOptions } from "./fleet-options.ts";
import type { FleetOutlook, FleetStatus } from "./fleet-status.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { chooseByAddress, countLost, listDue, lockAddresses, wake } from "./postgres-due-sites.ts";
import { addOrigins, dropHistory, handUrls, storeResults } from "./postgres-results.ts";
import { migrate } from "./postgres-schema.ts";
import { batches, batchSize, inMs } from "./postgres-sql.ts";
import { countSites, readStatus } from "./postgres-status.ts";
import type {
  AddedSite,
  Fleet,
  NextVisit,
  SiteLease,
  SiteReading,
  SiteResults,
  StateBlock,
  WorkerOrders,
} from "./site-leases.ts";

interface LeasedRow {
  readonly site: string;
  readonly origin: string;
  readonly epoch: string;
  readonly address: string | null;
  readonly note: string;
  readonly priority: number;
  readonly state_version: number;
  readonly state_blocks: number;
  readonly state_epoch: string;
}

/** Claims look at some more sites than they ask for: addresses of some are held. */
const rounds = 4;
/** Blocks of a state that are read at once: two megabytes. */
const blocksAtOnce = 64;

/** A fleet's database in PostgreSQL, 13 or newer. All times are the server's. */
export class PostgresFleet implements Fleet {
  readonly #connection: PostgresConnection;
  readonly #options: FleetOptions;

  private constructor(connection: PostgresConnection, options: FleetOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Connects, brings the schema to the newest version, and joins the fleet where a worker has a name. */
  static async open(url: URL, schema: string, options: FleetOptions): Promise<PostgresFleet> {
    const fleet = new PostgresFleet(new PostgresConnection(url, schema, options), options);
    try {
      await fleet.#connection.transact(async (sql) => migrate(sql, schema, options.mustExist));
      await fleet.#join();
      return fleet;
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  async claim(atMost: number): Promise<readonly SiteLease[]> {
    const leases = await this.#claim(atMost);
    const isShort = leases.length < atMost;
    return isShort && (await this.#wakeHanded()) ? [...leases, ...(await this.#claim(atMost - leases.length))] : leases;
  }

  async renew(
    leases: readonly SiteLease[],
    addresses: ReadonlyMap<number, string> = new Map(),
  ): Promise<readonly SiteLease[]> {
    const { leaseMs, delayMs } = this.#options;
    return await this.#connection.transact(async (sql) => {
      const held = await sql<{ site: string; address: string | null }[]>`
        SELECT id AS site, address FROM site
        JOIN unnest(${leases.map(({ site }) => site)}::bigint[], ${leases.map(({ epoch }) => epoch)}::bigint[]) AS asked (a, b)
          ON a = id AND b = epoch
        WHERE owner = ${this.#worker} AND lease_until > now() ORDER BY id FOR UPDATE OF site`;
      const now = new Map(
        held.map(({ site, address }) => {
          const next = addresses.get(Number(site));
          return [Number(site), next === undefined ? address : boundText(next)] as const;
        }),
      );
      const movers = held.filter(({ site, address }) => now.get(Number(site)) !== address);
      const moved = movers.map(({ site }) => Number(site));
      const left = movers.flatMap(({ address }) => address ?? []);
      const busy = await lockAddresses(sql, [...left, ...moved.map((site) => now.get(site) ?? "")], this.#worker);
      const isLost = (site: number): boolean => moved.includes(site) && busy.has(now.get(site) ?? "");
      const kept = [...now.keys()].filter((site) => !isLost(site));
      await sql`UPDATE site SET lease_until = ${inMs(sql, leaseMs)}, next_at = ${inMs(sql, leaseMs + delayMs)}
        WHERE id = ANY(${kept}::bigint[])`;
      for (const site of moved) {
        const address = now.get(site) ?? "";
        const until = busy.get(address);
        if (until === undefined) await sql`UPDATE site SET address = ${address} WHERE id = ${site}`;
        else
          await sql`UPDATE site SET address = ${address}, owner = NULL, lease_until = NULL, is_parked = ${until.isHeld},
            next_at = ${until.until}::timestamptz + ${until.isHeld ? parkedMs * Math.random() : 0}::double precision * interval '1 millisecond'
            WHERE id = ${site}`;
      }
      await wake(sql, left);
      return leases
        .filter(({ site }) => kept.includes(site))
        .map((lease) => ({ ...lease, address: now.get(lease.site) ?? undefined }));
    });
  }

  async commit(lease: SiteLease, results: SiteResults): Promise<boolean> {
    return await this.#connection.transact(async (sql) => {
      if (!(await this.#fence(sql, lease, results.next))) return false;
      await Promise.all(storeResults(sql, lease, this.#worker, results));
      return true;
    });
  }

  async release(lease: SiteLease, next: NextVisit): Promise<boolean> {
    return await this.#connection.transact(async (sql) => this.#fence(sql, lease, next));
  }

  async reap(): Promise<number> {
    return await this.#connection.transact(async (sql) => {
      const ended = await sql<{ address: string | null }[]>`
        WITH ended AS (
          SELECT id, owner, address, next_at FROM site WHERE owner IS NOT NULL AND lease_until <= now()
          ORDER BY lease_until LIMIT ${batchSize} FOR UPDATE SKIP LOCKED),
        freed AS (UPDATE site SET owner = NULL, lease_until = NULL FROM ended WHERE site.id = ended.id),
        rested AS (
          INSERT INTO address (name, free_at) SELECT address, max(next_at) FROM ended WHERE address IS NOT NULL GROUP BY address ORDER BY address
          ON CONFLICT (name) DO UPDATE SET free_at = greatest(address.free_at, excluded.free_at)),
        lost AS (
          UPDATE worker SET lost_leases = lost_leases + count
          FROM (SELECT owner, count(*) AS count FROM ended GROUP BY owner) AS of WHERE of.owner = worker.id)
        SELECT address FROM ended`;
      await wake(sql, [...new Set(ended.flatMap(({ address }) => address ?? []))]);
      await dropHistory(sql);
      return ended.length;
    });
  }

  async read(
    lease: SiteLease,
    { withState, handedAtMost }: { readonly withState: boolean; readonly handedAtMost: number },
  ): Promise<SiteReading | undefined> {
    const { site, epoch } = lease;
    const blocks: StateBlock[] = [];
    // A large state takes longer than one attempt may. Its holder alone changes it: while the lease is held, the pieces fit together.
    for (;;) {
      const after = blocks.at(-1)?.number ?? -1;
      const read = await this.#connection.read(async (sql) => {
        const held = await sql`SELECT FROM site WHERE id = ${site} AND epoch = ${epoch} AND owner = ${this.#worker}`;
        if (held.length === 0) return undefined;
        const more = withState
          ? await sql<{ number: number; bytes: Uint8Array }[]>`
            SELECT number, bytes FROM site_state WHERE site = ${site} AND number > ${after} ORDER BY number LIMIT ${blocksAtOnce}`
          : [];
        if (more.length === blocksAtOnce) return { more };
        const handed = await sql<{ id: string; path: string; note: string; priority: number }[]>`
          SELECT id, path, note, priority FROM handed_url WHERE site = ${site} ORDER BY priority DESC, id LIMIT ${handedAtMost}`;
        return { more, handed: handed.map((url) => ({ ...url, id: Number(url.id) })) };
      });
      if (read === undefined) return undefined;
      blocks.push(...read.more);
      if (read.handed !== undefined) return { blocks, handed: read.handed };
    }
  }

  async addSites(sites: readonly AddedSite[]): Promise<void> {
    const sorted = [...new Map(sites.map((site) => [site.origin, site])).values()]
      .filter(({ origin }) => isOrigin(origin))
      .sort((a, b) => (a.origin < b.origin ? -1 : 1));
    for (const rows of batches(sorted)) {
      const origins = rows.map(({ origin }) => boundText(origin));
      const notes = rows.map(({ note }) => boundText(note));
      const priorities = rows.map(({ priority }) => boundPriority(priority));
      await this.#connection.transact(async (sql) => addOrigins(sql, origins, notes, priorities));
      await this.#connection.transact(
        async (sql) => sql`
          WITH asked AS (
            SELECT site, a.priority FROM unnest(${origins}::text[], ${priorities}::smallint[]) AS a (origin, priority)
            JOIN site_origin USING (origin)),
          there AS (SELECT id FROM site JOIN asked ON id = site WHERE site.priority <> asked.priority ORDER BY id FOR UPDATE OF site)
          UPDATE site SET priority = asked.priority FROM asked WHERE id = asked.site AND id IN (SELECT id FROM there)`,
      );
    }
    for (const rows of batches(
      boundHanded(sites.flatMap(({ path, ...site }) => (path === undefined ? [] : [{ ...site, path }]))),
    ))
      await this.#connection.transact(async (sql) => Promise.all(handUrls(sql, rows)));
  }

  async outlook(): Promise<FleetOutlook> {
    await this.#wakeHanded();
    const { due, waiting, held } = await this.#connection.read(countSites);
    return { due, waiting, held };
  }

  async now(): Promise<number> {
    const [row] = await this.#connection.read(
      async (sql) =>
        sql<{ now: number }[]>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision AS now`,
    );
    return Math.floor(row?.now ?? 0);
  }

  async identity(): Promise<string> {
    const [row] = await this.#connection.read(
      async (sql) => sql<{ identity: string }[]>`SELECT replace(identity::text, '-', '') AS identity FROM fleet`,
    );
    return row?.identity ?? "";
  }

  async report(metrics: Readonly<Record<string, unknown>>): Promise<WorkerOrders> {
    return await this.#connection.transact(async (sql) => {
      const [row] = await sql<{ is_paused: boolean; is_draining: boolean }[]>`
        UPDATE worker SET seen = now(), metrics = ${JSON.stringify(metrics)}::text::json FROM fleet WHERE id = ${this.#worker}
        RETURNING is_paused, is_draining`;
      return { isPaused: row?.is_paused ?? false, isDraining: row?.is_draining ?? true };
    });
  }

  async pause(isPaused: boolean): Promise<void> {
    await this.#connection.transact(async (sql) => sql`UPDATE fleet SET is_paused = ${isPaused}`);
  }

  async drain(worker: string): Promise<boolean> {
    return await this.#connection.transact(async (sql) => {
      return (await sql`UPDATE worker SET is_draining = true WHERE id = ${worker}`).count > 0;
    });
  }

  async status(): Promise<FleetStatus> {
    return await this.#connection.read(readStatus);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }

  get #worker(): string {
    if (this.#options.worker === undefined) throw new TypeError("only a worker with a name leases sites");
    return this.#options.worker;
  }

  async #join(): Promise<void> {
    const { worker, version } = this.#options;
    if (worker === undefined) return;
    await this.#connection.transact(
      async (sql) => sql`INSERT INTO worker (id, host, version) VALUES (${worker}, ${hostname()}, ${version})
        ON CONFLICT (id) DO UPDATE SET host = excluded.host, version = excluded.version, started = now(), seen = now(),
          is_draining = false`,
    );
  }

  async #claim(atMost: number): Promise<readonly SiteLease[]> {
    const worker = this.#worker;
    const { leaseMs, delayMs, stateVersion } = this.#options;
    return await this.#connection.transact(async (sql) => {
      const chosen: DueSite[] = [];
      const seen: number[] = [];
      for (let round = 0; round < rounds && chosen.length < atMost; round++) {
        const due = await listDue(sql, { worker, stateVersion, atMost: atMost - chosen.length, seen });
        if (due.length === 0) break;
        chosen.push(...(await chooseByAddress(sql, due, chosen, atMost - chosen.length)));
        seen.push(...due.map(({ site }) => site));
      }
      if (chosen.length === 0) return [];
      await countLost(sql, chosen);
      const sites = chosen.map(({ site }) => site);
      const rows = await sql<LeasedRow[]>`
        UPDATE site SET owner = ${worker}, epoch = epoch + 1, lease_until = ${inMs(sql, leaseMs)},
          next_at = ${inMs(sql, leaseMs + delayMs)}, is_parked = false
        FROM site_origin o WHERE id = ANY(${sites}::bigint[]) AND o.site = id
        RETURNING id AS site, o.origin, epoch, address, o.note, priority, state_version, state_blocks, state_epoch`;
      const order = new Map(sites.map((site, at) => [site, at]));
      const leases = rows.map(leaseOf);
      return leases.sort((a, b) => (order.get(a.site) ?? 0) - (order.get(b.site) ?? 0));
    });
  }

  /** Makes sites due that were never to be visited again, and that URLs were handed to. A holder that gives one back meanwhile sees the URLs. @returns whether there were any */
  async #wakeHanded(): Promise<boolean> {
    return await this.#connection.transact(async (sql) => {
      const rows = await sql<{ site: string }[]>`
        DELETE FROM handed_site
        WHERE id = ANY(ARRAY(SELECT id FROM handed_site ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))
        RETURNING site`;
      if (rows.length === 0) return false;
      const sites = [...new Set(rows.map(({ site }) => site))];
      await sql`SELECT FROM site WHERE id = ANY(${sites}::bigint[]) ORDER BY id FOR UPDATE`;
      await sql`UPDATE site SET next_at = now()
        WHERE id = ANY(${sites}::bigint[]) AND owner IS NULL AND NOT is_parked AND next_at = 'infinity'`;
      return true;
    });
  }

  /** Refuses what is done under a lease that is lost, else sets when site and address are next visited. */
  async #fence(sql: Sql, { site, epoch }: SiteLease, next: NextVisit | undefined): Promise<boolean> {
    if (next === undefined) {
      const held =
        await sql`SELECT FROM site WHERE id = ${site} AND epoch = ${epoch} AND owner = ${this.#worker} FOR UPDATE`;
      return held.length > 0;
    }
    const [freed] = await sql<{ address: string | null }[]>`
      UPDATE site SET owner = NULL, lease_until = NULL, next_at = ${inMs(sql, boundWait(next.siteMs))},
        priority = ${boundPriority(next.priority)}
      WHERE id = ${site} AND epoch = ${epoch} AND owner = ${this.#worker} RETURNING address`;
    if (freed === undefined) return false;
    if (freed.address !== null)
      await sql`INSERT INTO address (name, free_at) VALUES (${freed.address}, ${inMs(sql, boundWait(next.addressMs))})
        ON CONFLICT (name) DO UPDATE SET free_at = greatest(address.free_at, excluded.free_at)`;
    await wake(sql, freed.address === null ? [] : [freed.address]);
    return true;
  }
}

function leaseOf(row: LeasedRow): SiteLease {
  return {
    site: Number(row.site),
    origin: row.origin,
    epoch: Number(row.epoch),
    address: row.address ?? undefined,
    note: row.note,
    priority: row.priority,
    stateVersion: row.state_version,
    stateBlocks: row.state_blocks,
    stateEpoch: Number(row.state_epoch),
  };
}
