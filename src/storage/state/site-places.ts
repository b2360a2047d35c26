import { lstatSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { digestFile } from "../mirror/file-digest.ts";
import { mirrorFoldersOf, originsNamed } from "../mirror/mirror-path.ts";
import { MirrorPlaces } from "../mirror/mirror-places.ts";
import { type Connection, prepareStatement, transact } from "../sqlite/database.ts";
import { doubtPages } from "./doubt.ts";
import { folderPlaceOf, isMirrored } from "./open-state.ts";

const sql = {
  sites: "SELECT id, origin, mirror FROM site WHERE origin IN (SELECT value FROM json_each(?1))",
  held: "SELECT path, size, digest FROM url WHERE site = ? AND digest IS NOT NULL",
  epoch: "UPDATE state_identity SET epoch = lower(hex(randomblob(8)))",
  // A validator of what is kept no more would bring answers without a body.
  forget:
    "UPDATE site SET mirror = ?, epoch = NULL, writer = NULL, robots_etag = NULL, robots_modified = NULL WHERE id = ?",
} as const;

const tables = ["url", "source_state", "seen_change", "warc_record", "handed", "object_body", "object_left"] as const;

/** Forgets the pages of a site, which is kept in another place from now on. */
export function beginAnew(connection: Connection, site: number, mirror: string): void {
  transact(connection, () => {
    for (const table of tables) connection.prepare(`DELETE FROM ${table} WHERE site = ?`).run(site);
    // Who followed what was seen could not learn what is gone meanwhile: it begins anew.
    connection.exec(sql.epoch);
    connection.prepare(sql.forget).run(mirror, site);
  });
}

/** A site that has a folder. */
interface PlacedSite {
  readonly id: number;
  readonly origin: string;
  readonly isMirrored: boolean;
  readonly folder: string;
}

/**
 * Which folder each site of a state has. A site keeps the folder that the state has noted; a new one gets the first of its names that no
 * other site of the state has, so that `http://example.org` and `https://example.org` have two. Sites that are kept without a folder take no name.
 */
export class SitePlaces {
  readonly #connection: Connection;
  readonly #stateFolder: string;
  readonly #into: string;

  constructor(connection: Connection, stateFile: string, into: string) {
    this.#connection = connection;
    this.#stateFolder = dirname(stateFile);
    this.#into = into;
  }

  /** The folder that a site has, or would get, without a change to the state. */
  find(origin: string): string {
    return this.#choose(origin, this.#into);
  }

  /**
   * The folder in which a site is to be kept, after its separation from sites with which earlier versions kept it in one folder. Separating
   * costs reading that folder, once.
   */
  assign(origin: string): string {
    const { own, others } = this.#read(origin);
    const sharers = others.filter(({ folder }) => folder === own?.folder);
    if (own !== undefined && sharers.length > 0) this.#separate([own, ...sharers]);
    return this.#choose(origin, this.#into);
  }

  #choose(origin: string, within: string): string {
    const names = mirrorFoldersOf(origin);
    const { own, others } = this.#read(origin);
    const known = names.filter((name) => own !== undefined && name === basename(own.folder));
    const taken = new Set(others.map(({ folder }) => folder));
    const free = [...known, ...names].find((name) => !taken.has(join(within, name)));
    return join(within, free ?? (names.at(-1) as string));
  }

  /** A site, and those that may have a folder of its names. */
  #read(origin: string): { readonly own: PlacedSite | undefined; readonly others: readonly PlacedSite[] } {
    const origins = new Set([origin, ...mirrorFoldersOf(origin).flatMap(originsNamed)]);
    const rows = prepareStatement(this.#connection, sql.sites).all(JSON.stringify([...origins]));
    const sites = (rows as [number, string, string][]).flatMap(([id, of, mirror]) => {
      const place = folderPlaceOf(mirror);
      if (place === undefined) return [];
      return [{ id, origin: of, isMirrored: isMirrored(mirror), folder: resolve(this.#stateFolder, place) }];
    });
    return {
      own: sites.find((site) => site.origin === origin),
      others: sites.filter((site) => site.origin !== origin),
    };
  }

  /** Leaves the folder to the site that has most of its bodies there, and of equals to the one that was known first; the others begin anew. */
  #separate(sharers: readonly PlacedSite[]): void {
    const compared = sharers.map((site) => ({ site, ...this.#compare(site) }));
    compared.sort((one, other) => other.wholePages - one.wholePages || one.site.id - other.site.id);
    for (const [rank, { site, damaged }] of compared.entries()) {
      if (rank === 0) doubtPages(this.#connection, site.id, damaged);
      else {
        const place = relative(this.#stateFolder, this.#choose(site.origin, dirname(site.folder)));
        beginAnew(this.#connection, site.id, site.isMirrored ? place : `warc:${place}`);
      }
    }
  }

  /** Finds pages whose files are not those that are remembered. Reads all files. */
  #compare({ id, folder, isMirrored: hasFiles }: PlacedSite): { wholePages: number; damaged: string[] } {
    const damaged: string[] = [];
    if (!hasFiles) return { wholePages: 0, damaged };
    const places = new MirrorPlaces(folder);
    let wholePages = 0;
    const rows = prepareStatement(this.#connection, sql.held).all(id) as [string, number, string][];
    for (const [path, sizeBytes, digest] of rows) {
      if (isBody(places.fileOf(path), sizeBytes, digest)) wholePages++;
      else damaged.push(path);
    }
    return { wholePages, damaged };
  }
}

function isBody(file: string | Buffer, sizeBytes: number, digest: string): boolean {
  try {
    const stat = lstatSync(file);
    return stat.isFile() && stat.size === sizeBytes && digestFile(file) === digest;
  } catch {
    return false;
  }
}
