import { hostname } from "node:os";
import { boundPriority, boundText, boundWait, isOrigin } from "./bounds.ts";
import { type DueSite, parkedMs } from "./crowded-addresses.ts";
import { EmbeddedDatabase } from "./embedded-database.ts";
import { chooseByAddress, findBusy, freeAddress, listDue, wake } from "./embedded-due-sites.ts";
import { dropHistory, handUrls, storeResults } from "./embedded-results.ts";
import { endOfWait } from "./embedded-schema.ts";
import { countSites, readStatus } from "./embedded-status.ts";
import type { FleetOptions } from "./fleet-options.ts";
import type { FleetOutlook, FleetStatus } from "./fleet-status.ts";
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

interface SiteRow {
  readonly id: number;
  readonly origin: string;
  readonly note: string;
  readonly epoch: number;
  readonly priority: number;
  readonly state_epoch: number;
  readonly state_version: number;
  readonly state_blocks: number;
  readonly address: string | null;
}

/** Claims look at some more sites than they ask for: addresses of some are held. */
const rounds = 4;
const reaped = 1000;

/** A fleet's database in one file: for workers of one machine. */
export class EmbeddedFleet implements Fleet {
  readonly #database: EmbeddedDatabase;
  readonly #options: FleetOptions;

  constructor(file: string, options: FleetOptions) {
    this.#database = new EmbeddedDatabase(file, options.mustExist);
    this.#options = options;
    const { worker, version } = options;
    if (worker === undefined) return;
    this.#database.transact((now) =>
      this.#database.run(
        `INSERT INTO worker (id, host, version, started, seen) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET host = excluded.host, version = excluded.version, started = excluded.started,
           seen = excluded.seen, is_draining = 0`,
        worker,
        hostname(),
        version,
        now,
        now,
      ),
    );
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  async claim(atMost: number): Promise<readonly SiteLease[]> {
    const { leaseMs, delayMs, stateVersion } = this.#options;
    const worker = this.#worker;
    return this.#database.transact((now) => {
      const told = this.#readTold();
      if (told.isPaused || told.isDraining) return [];
      const chosen: DueSite[] = [];
      const seen = new Set<number>();
      for (let round = 0; round < rounds && chosen.length < atMost; round++) {
        const due = listDue(this.#database, 2 * (atMost - chosen.length), stateVersion, seen, now);
        if (due.length === 0) break;
        chosen.push(...chooseByAddress(this.#database, due, chosen, atMost - chosen.length, now));
      }
      return chosen.flatMap(({ site, owner }) => {
        if (owner !== null) this.#database.run("UPDATE worker SET lost_leases = lost_leases + 1 WHERE id = ?", owner);
        const row = this.#database.first<SiteRow>(
          `UPDATE site SET owner = ?, epoch = epoch + 1, lease_until = ?, next_at = ?, is_parked = 0 WHERE id = ? RETURNING *`,
          worker,
          now + leaseMs,
          now + leaseMs + delayMs,
          site,
        );
        return row === undefined ? [] : [leaseOf(row)];
      });
    });
  }

  async renew(
    leases: readonly SiteLease[],
    addresses: ReadonlyMap<number, string> = new Map(),
  ): Promise<readonly SiteLease[]> {
    const { leaseMs, delayMs } = this.#options;
    const database = this.#database;
    return database.transact((now) =>
      leases.flatMap((lease) => {
        const { site, epoch } = lease;
        const row = database.first<SiteRow>(
          "SELECT * FROM site WHERE id = ? AND epoch = ? AND owner = ? AND lease_until > ?",
          site,
          epoch,
          this.#worker,
          now,
        );
        if (row === undefined) return [];
        const given = addresses.get(site);
        const address = given === undefined ? row.address : boundText(given);
        const isMoved = address !== row.address;
        const busy = isMoved && address !== null ? findBusy(this.#database, address, this.#worker, now) : undefined;
        if (isMoved && address !== null)
          database.run("INSERT INTO address (name, free_at) VALUES (?, ?) ON CONFLICT DO NOTHING", address, now);
        if (busy === undefined) {
          database.run(
            "UPDATE site SET lease_until = ?, next_at = ?, address = ? WHERE id = ?",
            now + leaseMs,
            now + leaseMs + delayMs,
            address,
            site,
          );
        } else {
          database.run(
            "UPDATE site SET owner = NULL, lease_until = NULL, address = ?, is_parked = ?, next_at = ? WHERE id = ?",
            address,
            busy.isHeld ? 1 : 0,
            busy.until + (busy.isHeld ? Math.floor(parkedMs * Math.random()) : 0),
            site,
          );
        }
        if (isMoved && row.address !== null) wake(this.#database, row.address);
        return busy === undefined ? [{ ...lease, address: address ?? undefined }] : [];
      }),
    );
  }

  async commit(lease: SiteLease, results: SiteResults): Promise<boolean> {
    return this.#database.transact((now) => {
      if (!this.#fence(lease, results.next, now)) return false;
      storeResults(this.#database, lease, this.#worker, results, now);
      return true;
    });
  }

  async release(lease: SiteLease, next: NextVisit): Promise<boolean> {
    return this.#database.transact((now) => this.#fence(lease, next, now));
  }

  async reap(): Promise<number> {
    const database = this.#database;
    return database.transact((now) => {
      const ended = database.list<{ id: number; owner: string; address: string | null; next_at: number }>(
        `SELECT id, owner, address, next_at FROM site WHERE owner IS NOT NULL AND lease_until <= ? ORDER BY lease_until LIMIT ${reaped}`,
        now,
      );
      for (const { id, owner, address, next_at } of ended) {
        database.run("UPDATE site SET owner = NULL, lease_until = NULL WHERE id = ?", id);
        database.run("UPDATE worker SET lost_leases = lost_leases + 1 WHERE id = ?", owner);
        if (address !== null) freeAddress(this.#database, address, next_at);
      }
      dropHistory(database, now);
      return ended.length;
    });
  }

  async read(
    lease: SiteLease,
    { withState, handedAtMost }: { readonly withState: boolean; readonly handedAtMost: number },
  ): Promise<SiteReading | undefined> {
    const { site, epoch } = lease;
    const database = this.#database;
    return database.transact(() => {
      const held = database.first(
        "SELECT 1 FROM site WHERE id = ? AND epoch = ? AND owner = ?",
        site,
        epoch,
        this.#worker,
      );
      if (held === undefined) return undefined;
      return {
        blocks: withState
          ? database.list<StateBlock>("SELECT number, bytes FROM site_state WHERE site = ? ORDER BY number", site)
          : [],
        handed: database.list<{ id: number; path: string; note: string; priority: number }>(
          "SELECT id, path, note, priority FROM handed_url WHERE site = ? ORDER BY priority DESC, id LIMIT ?",
          site,
          handedAtMost,
        ),
      };
    });
  }

  async addSites(sites: readonly AddedSite[]): Promise<void> {
    this.#database.transact((now) => {
      for (const { origin, note, priority } of sites)
        if (isOrigin(origin))
          this.#database.run(
            `INSERT INTO site (origin, note, priority, next_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (origin) DO UPDATE SET priority = excluded.priority`,
            boundText(origin),
            boundText(note),
            boundPriority(priority),
            now,
          );
      handUrls(
        this.#database,
        sites.flatMap(({ path, ...site }) => (path === undefined ? [] : [{ ...site, path }])),
        now,
      );
    });
  }

  async outlook(): Promise<FleetOutlook> {
    const { due, waiting, held } = countSites(this.#database, this.#database.now());
    return { due, waiting, held };
  }

  async now(): Promise<number> {
    return this.#database.now();
  }

  async identity(): Promise<string> {
    return this.#database.first<{ identity: string }>("SELECT identity FROM fleet")?.identity ?? "";
  }

  async report(metrics: Readonly<Record<string, unknown>>): Promise<WorkerOrders> {
    return this.#database.transact((now) => {
      this.#database.run(
        "UPDATE worker SET seen = ?, metrics = ? WHERE id = ?",
        now,
        JSON.stringify(metrics),
        this.#worker,
      );
      return this.#readTold();
    });
  }

  async pause(isPaused: boolean): Promise<void> {
    this.#database.transact(() => this.#database.run("UPDATE fleet SET is_paused = ?", isPaused ? 1 : 0));
  }

  async drain(worker: string): Promise<boolean> {
    return this.#database.transact(
      () => this.#database.run("UPDATE worker SET is_draining = 1 WHERE id = ?", worker) > 0,
    );
  }

  async status(): Promise<FleetStatus> {
    return this.#database.transact((now) => readStatus(this.#database, now));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close();
  }

  get #worker(): string {
    if (this.#options.worker === undefined) throw new TypeError("only a worker with a name leases sites");
    return this.#options.worker;
  }

  #readTold(): { isPaused: boolean; isDraining: boolean } {
    const row = this.#database.first<{ is_paused: number; is_draining: number }>(
      "SELECT is_paused, is_draining FROM fleet JOIN worker WHERE worker.id = ?",
      this.#worker,
    );
    return { isPaused: row?.is_paused === 1, isDraining: row?.is_draining !== 0 };
  }

  /** Refuses what is done under a lease that is lost, else sets when site and address are next visited. */
  #fence({ site, epoch }: SiteLease, next: NextVisit | undefined, now: number): boolean {
    const row = this.#database.first<SiteRow>(
      "SELECT * FROM site WHERE id = ? AND epoch = ? AND owner = ?",
      site,
      epoch,
      this.#worker,
    );
    if (row === undefined || next === undefined) return row !== undefined;
    this.#database.run(
      "UPDATE site SET owner = NULL, lease_until = NULL, next_at = ?, priority = ? WHERE id = ?",
      endOfWait(now, boundWait(next.siteMs)),
      boundPriority(next.priority),
      site,
    );
    if (row.address !== null) freeAddress(this.#database, row.address, endOfWait(now, boundWait(next.addressMs)));
    return true;
  }
}

function leaseOf(row: SiteRow): SiteLease {
  return {
    site: row.id,
    origin: row.origin,
    epoch: row.epoch,
    address: row.address ?? undefined,
    note: row.note,
    priority: row.priority,
    stateVersion: row.state_version,
    stateBlocks: row.state_blocks,
    stateEpoch: row.state_epoch,
  };
}
