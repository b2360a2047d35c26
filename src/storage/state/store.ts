import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type EpochSeconds, TidemarkError, wrapSystemError } from "../../core/index.ts";
import { GroupSync, makeMissingFolder } from "../../fs/index.ts";
import { FileThread } from "../mirror/file-thread.ts";
import { Mirror } from "../mirror/mirror.ts";
import { convertMirror } from "../mirror/mirror-conversion.ts";
import { mirrorFolderOf } from "../mirror/mirror-path.ts";
import { ObjectBodies } from "../objects/object-bodies.ts";
import { ObjectIndex } from "../objects/object-index.ts";
import { abandonGroup, type Connection, commitGroup, groupCommits, prepareStatement } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import { LateWrites } from "../sqlite/late-writes.ts";
import { acquireLock, type FileLock, isLocked } from "../sqlite/lock.ts";
import { OrphanedCaptures } from "../warc/orphaned-captures.ts";
import { PassingBodies, WarcBodies } from "../warc/warc-bodies.ts";
import { hasOpenWarc, WarcFiles } from "../warc/warc-files.ts";
import { WarcMemory } from "../warc/warc-memory.ts";
import { WarcRecorder } from "../warc/warc-recorder.ts";
import { CallbackBodyStore } from "./callback-body-store.ts";
import { CallbackMarks } from "./callback-marks.ts";
import { doubtLeftBodies, doubtPages } from "./doubt.ts";
import type { Keeping, SiteStore } from "./keeping.ts";
import { KeptReading } from "./kept-reading.ts";
import { readQueries } from "./known-queries.ts";
import { memoryName, openMemoryState, openState } from "./open-state.ts";
import { PlanList } from "./plan-list.ts";
import { KeptCounts } from "./site-counts.ts";
import { type SiteRow, StoredSite, siteColumns } from "./site-memory.ts";
import { beginAnew, SitePlaces } from "./site-places.ts";
import { StoredClaims } from "./stored-claims.ts";
import { StoredPeers } from "./stored-peers.ts";
import { StoredUrls } from "./url-list.ts";

/** The state's file in a folder of mirrors. */
export function stateFileIn(into: string): string {
  return join(resolve(into), ".tidemark", "state.db");
}

/** Whether a crawl holds a folder of mirrors; see {@link isLocked}. */
export function isStoreHeld(into: string): boolean | undefined {
  return isLocked(`${stateFileIn(into)}.lock`);
}

/** Where a crawler keeps what it has. */
export interface StoreOptions {
  /** Folder of the mirrors, one folder a site; made if it is not there. */
  readonly into: string;
  /** The state's file. Default `<into>/.tidemark/state.db`. */
  readonly stateFile?: string;
  /**
   * If it is given, what is written is durable only after {@link Store.sync}, and after a power cut as it was at some moment since: one
   * write to the disk for all sites, instead of some for each. A killed process loses what it wrote in the last turn of its event loop. It is
   * called before writes outlive the process, for what must do so earlier. Default: each write is durable at once.
   */
  readonly beforeCommit?: (() => void) | undefined;
}

/** The state and the mirrors of a crawler, held alone until it is disposed of. */
export class Store {
  readonly #into: string;
  readonly #stateFile: string;
  readonly #temporary: string;
  readonly #locks: readonly FileLock[];
  readonly #connection: Connection;
  readonly #sync: GroupSync;
  /** One for all sites; begun by the first that has much to keep. */
  #thread: FileThread | undefined;
  #temporaries = 0;
  /** What is remembered of the sites that are open, by their numbers. */
  readonly #open = new Map<number, StoredSite>();
  readonly #counts: KeptCounts;
  readonly #places: SitePlaces;
  /** When sites are visited next. */
  readonly plans: PlanList;
  /** Crawlers whose events are merged. */
  readonly peers: StoredPeers;
  /** What they claimed, and how far they are trusted. */
  readonly claims: StoredClaims;

  constructor(into: string, stateFile: string, temporary: string, locks: readonly FileLock[], connection: Connection) {
    this.#into = into;
    this.#stateFile = stateFile;
    this.#temporary = temporary;
    this.#locks = locks;
    this.#connection = connection;
    this.#sync = new GroupSync(into);
    this.#places = new SitePlaces(connection, stateFile, into);
    this.plans = new PlanList(connection, stateFile);
    this.#counts = new KeptCounts(connection, (site) => this.#open.has(site));
    const onWrite = (): void => this.#counts.forgetAll();
    this.peers = new StoredPeers(connection, stateFile, onWrite);
    this.claims = new StoredClaims(connection, stateFile, onWrite);
  }

  /**
   * Opens what is kept of a site.
   *
   * If the mirror is not the one that the state knows, or is not there any more, the site begins anew; bodies that
   * are there are taken over by their digest. Likewise if bodies were kept in another way. After a visit that did not end,
   * pages whose bodies are not those that are remembered are asked for anew.
   *
   * @param origin - such as `https://example.org`
   */
  openSite(
    origin: string,
    keeping?: Exclude<Keeping, { kind: "callback" | "objects" }>,
  ): SiteStore<Mirror | PassingBodies>;
  openSite(origin: string, keeping: Keeping): SiteStore;
  openSite(origin: string, keeping: Keeping = { kind: "mirror" }): SiteStore {
    const hasFolder = keeping.kind === "mirror" || keeping.kind === "warc";
    const folder = hasFolder
      ? inDatabase(this.#stateFile, () => this.#places.assign(origin))
      : join(this.#into, mirrorFolderOf(origin));
    // Relative, so that state and mirror can be moved together.
    const place = relative(dirname(this.#stateFile), folder);
    const mirror = keeping.kind === "mirror" ? place : `${keeping.kind}:${place}`;
    const wasThere = !hasFolder || existsSync(folder);
    try {
      if (hasFolder) makeMissingFolder(folder);
    } catch (error) {
      throw wrapSystemError(error, `make the folder ${folder}`, { folder });
    }
    const { site, row, isNew, isKnown } = inDatabase(this.#stateFile, () => this.#findSite(origin, mirror, wasThere));
    if (isNew && keeping.kind === "mirror" && wasThere) this.#convertMirror(folder);
    const temporary = this.#nameTemporary();
    // Elsewhere it is made for the first file, which few visits have.
    if (hasFolder) makeTemporary(temporary);
    const shared = { late: new LateWrites(this.#connection), counts: this.#counts.of(site) };
    const own = { file: this.#stateFile, site, spoolFile: join(temporary, "intake") };
    const memory = new StoredSite(this.#connection, own, shared, row);
    this.#open.set(site, memory);
    const wasLeft = memory.read().clock?.isOpen === 1;
    const marks =
      keeping.kind === "callback"
        ? new CallbackMarks(this.#connection, this.#stateFile, site)
        : keeping.kind === "objects"
          ? new ObjectIndex(this.#connection, own, keeping.writer, wasLeft || (isNew && isKnown))
          : undefined;
    const kept = this.#openBodies(origin, site, { folder, temporary }, keeping, marks);
    const { bodies } = kept;
    // What was handed to somebody else has marks of its own, and objects are remembered together with their pages.
    if (wasLeft && !(bodies instanceof CallbackBodyStore || bodies instanceof ObjectBodies))
      inDatabase(this.#stateFile, () => doubtLeftBodies(this.#connection, site, (page) => bodies.holds(page)));
    // What was left, begun anew or recovered is other than what was counted.
    if (wasLeft || isNew || marks !== undefined) this.#counts.forget(site);
    return {
      memory,
      reading:
        this.#stateFile === memoryName
          ? undefined
          : new KeptReading(join(dirname(this.#temporary), "readings", String(site))),
      urls: new StoredUrls(this.#connection, own, shared, marks),
      ...kept,
      folder,
      close: () => {
        memory.flush();
        if (this.#open.get(site) === memory) this.#open.delete(site);
        if (existsSync(temporary)) rmSync(temporary, { recursive: true, force: true });
      },
    };
  }

  // What a state that was lost knew may be there under the names of an earlier version.
  #convertMirror(folder: string): void {
    try {
      convertMirror(folder);
    } catch (error) {
      throw wrapSystemError(error, `rename files in ${folder}`, { folder });
    }
  }

  // Files of several sites may have the same name.
  #nameTemporary(): string {
    return join(this.#temporary, String(this.#temporaries++));
  }

  #threadForFiles(): FileThread {
    this.#thread ??= new FileThread();
    return this.#thread;
  }

  #openBodies(
    origin: string,
    site: number,
    { folder, temporary }: { readonly folder: string; readonly temporary: string },
    keeping: Keeping,
    marks: CallbackMarks | ObjectIndex | undefined,
  ): Pick<SiteStore, "bodies" | "warc"> {
    if (keeping.kind === "mirror") {
      const shared = { sync: this.#sync, thread: () => this.#threadForFiles() };
      const held = prepareStatement(
        this.#connection,
        "SELECT 1 FROM url WHERE site = ?1 AND path = ?2 AND digest IS NOT NULL",
      );
      const isHeld = (path: string): boolean => inDatabase(this.#stateFile, () => held.get(site, path) !== undefined);
      return { bodies: new Mirror(folder, temporary, isHeld, shared), warc: undefined };
    }
    if (keeping.kind === "metadata") return { bodies: new PassingBodies(temporary), warc: undefined };
    if (keeping.kind === "callback") {
      if (!(marks instanceof CallbackMarks)) throw new TypeError("what is handed on is marked");
      return { bodies: new CallbackBodyStore(temporary, marks, keeping.taker), warc: undefined };
    }
    if (keeping.kind === "objects") {
      if (!(marks instanceof ObjectIndex)) throw new TypeError("objects have an index");
      const place = { origin, temporary, sync: () => this.sync() };
      return { bodies: new ObjectBodies(keeping.store, place, marks), warc: undefined };
    }
    const { info, clock, decode, maxBytes } = keeping;
    const prefix = basename(folder);
    const options = { folder, temporary, prefix, info, clock, ...(maxBytes === undefined ? {} : { maxBytes }) };
    const files = new WarcFiles(options);
    const memory = new WarcMemory(this.#connection, this.#stateFile, site);
    const recorder = new WarcRecorder(files, memory);
    return {
      bodies: new WarcBodies({ origin, folder, temporary }, memory, recorder, decode),
      warc: { files, recorder, recover: () => this.#recoverCaptures(origin, site, files, memory) },
    };
  }

  async #recoverCaptures(origin: string, site: number, files: WarcFiles, memory: WarcMemory): Promise<void> {
    await files.recover(new OrphanedCaptures(origin, memory, (paths) => this.doubt(site, paths)));
  }

  /** @returns what is remembered of it as well, if it is known and not begun anew */
  #findSite(origin: string, mirror: string, wasThere: boolean): FoundSite {
    const find = prepareStatement(this.#connection, `SELECT id, mirror, ${siteColumns} FROM site WHERE origin = ?`);
    const found = find.get(origin) as [number, string, ...SiteRow] | undefined;
    if (found === undefined) {
      const insert = prepareStatement(this.#connection, "INSERT INTO site (origin, mirror) VALUES (?, ?) RETURNING id");
      const [id] = insert.get(origin, mirror) as [number];
      return { site: id, isNew: true, isKnown: false };
    }
    const [id, known, ...row] = found;
    const before = this.#open.get(id);
    before?.flush();
    if (wasThere && known === mirror)
      return { site: id, isNew: false, isKnown: true, ...(before === undefined ? { row } : {}) };
    beginAnew(this.#connection, id, mirror);
    return { site: id, isNew: true, isKnown: true };
  }

  /** Makes pages of a site due to be fetched whole, whatever is held of them; see {@link doubtPages}. */
  doubt(site: number, paths: readonly string[]): number {
    this.#counts.forget(site);
    return inDatabase(this.#stateFile, () => doubtPages(this.#connection, site, paths));
  }

  /** Whether a WARC file of a site is not finished. */
  hasOpenWarc(origin: string): boolean {
    return hasOpenWarc(inDatabase(this.#stateFile, () => this.#places.find(origin)));
  }

  /** Makes all durable that was written so far, of a store that is synced later. */
  sync(): void {
    // A commit that is synced takes with it what was committed before.
    inDatabase(this.#stateFile, () => {
      commitGroup(this.#connection);
      this.#connection.exec(
        "PRAGMA synchronous = FULL; UPDATE state_identity SET epoch = epoch; PRAGMA synchronous = NORMAL;",
      );
    });
  }

  /** Known URLs of a site that are a path with a query, at most so many, without pages that were held and are gone. */
  queriesOf(origin: string, path: string, limit: number): readonly string[] {
    return inDatabase(this.#stateFile, () => {
      const find = prepareStatement(this.#connection, "SELECT id FROM site WHERE origin = ?");
      const [site] = (find.get(origin) as [number] | undefined) ?? [];
      return site === undefined ? [] : readQueries(this.#connection, site, path, limit);
    });
  }

  /** Whether it knows no site. */
  get isEmpty(): boolean {
    return inDatabase(
      this.#stateFile,
      () => prepareStatement(this.#connection, "SELECT 1 FROM site LIMIT 1").get() === undefined,
    );
  }

  /** Pages of all sites that were answered from then on. O(pages). */
  countAnswered(since: EpochSeconds): number {
    return inDatabase(this.#stateFile, () => {
      const count = prepareStatement(this.#connection, "SELECT count(*) FROM url WHERE asked >= ?");
      return (count.get(since) as [number])[0];
    });
  }

  /** Closes the state and gives the locks back. What was written in this turn of the event loop is lost, if the store is synced later. */
  [Symbol.dispose](): void {
    try {
      this.#thread?.close();
      for (const memory of this.#open.values()) flushIfPossible(memory);
      abandonGroup(this.#connection);
      this.#connection.close();
      rmSync(this.#temporary, { recursive: true, force: true });
    } finally {
      for (const lock of this.#locks) lock.release();
    }
  }
}

interface FoundSite {
  readonly site: number;
  /** What is remembered of it as well. */
  readonly row?: SiteRow;
  /** Not known, or begun anew. */
  readonly isNew: boolean;
  /** Whether the state knew it. */
  readonly isKnown: boolean;
}

/** Where there is no room what waits is learned again; what ended the visit is what its user has to be told. */
function flushIfPossible(memory: { flush(): void }): void {
  try {
    memory.flush();
  } catch (error) {
    if (!(error instanceof TidemarkError)) throw error;
  }
}

function makeTemporary(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    throw wrapSystemError(error, `make the folder ${folder}`, { folder });
  }
}

function releaseAll(locks: readonly FileLock[]): void {
  for (const lock of locks) lock.release();
}

/**
 * Opens a state in memory, for simulations: the same database, which ends with the process. Bodies go to the folder, if they
 * are kept, and so do lists that are too long for memory.
 *
 * @param into - held alone until the store is disposed of
 */
export function openMemoryStore(into: string): Store {
  const temporary = join(resolve(into), ".tidemark", "tmp");
  const locks: FileLock[] = [];
  try {
    locks.push(acquireLock(`${stateFileIn(into)}.lock`));
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    return new Store(resolve(into), memoryName, temporary, locks, openMemoryState());
  } catch (error) {
    releaseAll(locks);
    throw wrapSystemError(error, `open ${temporary}`, { folder: temporary });
  }
}

/**
 * Opens a crawler's state and mirrors.
 *
 * @throws TidemarkError `locked` if another crawl uses either, `state-corrupt`, `state-version`, and what the file
 *   system says
 */
export function openStore(options: StoreOptions): Store {
  const into = resolve(options.into);
  const own = join(into, ".tidemark");
  const ownFile = stateFileIn(into);
  const stateFile = options.stateFile === undefined ? ownFile : resolve(options.stateFile);
  const temporary = join(own, "tmp");
  const locks: FileLock[] = [];
  try {
    for (const file of new Set([ownFile, stateFile])) locks.push(acquireLock(`${file}.lock`));
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { recursive: true });
    const connection = openState(stateFile);
    if (options.beforeCommit !== undefined) {
      connection.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000");
      groupCommits(connection, options.beforeCommit);
    }
    return new Store(into, stateFile, temporary, locks, connection);
  } catch (error) {
    releaseAll(locks);
    throw wrapSystemError(error, `open ${own}`, { folder: own });
  }
}
