import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import Database from "libsql";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { convertMirror } from "../mirror/mirror-conversion.ts";
import { type Connection, openConnection, prepareStatement, transact } from "../sqlite/database.ts";
import { inDatabase } from "../sqlite/database-error.ts";
import { migrations, mirrorNamesVersion } from "./schema.ts";

/** Others hold the database for an instant only: where one mends it after a crash, or closes it last. */
const patienceMs = 10_000;

/**
 * Opens the state of a crawler to be read while a crawl may run: nothing is written, and nobody is kept from writing.
 *
 * @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `state-version`
 */
export function openStateForReading(file: string): Connection {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw wrapSystemError(error, `read the state ${file}`, { file });
  }
  return inDatabase(file, () => {
    const connection = new Database(`${pathToFileURL(file).href}?mode=ro`, { timeout: patienceMs });
    try {
      const [version] = prepareStatement(connection, "PRAGMA user_version").get() as [number];
      if (version !== migrations.length) throw unknownVersion(file, version);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  });
}

function unknownVersion(file: string, version: number): TidemarkError {
  const details = { file, version };
  if (version > migrations.length)
    return new TidemarkError("state-version", `${file} was written by a newer version of tidemark.`, {
      hint: "Use that version, or move the file away.",
      details,
    });
  return new TidemarkError("state-version", `${file} holds no state of this version of tidemark.`, {
    hint: "Crawl with this version once: that brings the state of an older one up to date.",
    details,
  });
}

/**
 * Opens the state of a crawler and brings its schema up to date.
 *
 * @param kind - whether what is written is durable; a copy is one file, and nothing of it is synced to the disk
 * @throws TidemarkError `state-corrupt`, `state-version`, and what the file system says
 */
export function openState(file: string, kind: "durable" | "copy" = "durable"): Connection {
  return bringUpToDate(file, openConnection(file), kind);
}

/** What a database in memory is called where a file would be. */
export const memoryName = ":memory:";

/** Opens an empty state that lies in memory. */
export function openMemoryState(): Connection {
  return bringUpToDate(memoryName, new Database(memoryName));
}

/** Whether the place of what is kept of a site is that of a mirror: others have their kind before a colon. */
export function isMirrored(place: string): boolean {
  return !/^(?:warc|metadata|callback|objects):/.test(place);
}

/** Where the folder of what is kept of a site is, as its place says; undefined if it has none. */
export function folderPlaceOf(place: string): string | undefined {
  return place.startsWith("warc:") ? place.slice("warc:".length) : isMirrored(place) ? place : undefined;
}

/** Whether it is that of bodies that are kept as objects. */
export function isInObjects(place: string): boolean {
  return place.startsWith("objects:");
}

// Before the state says so: whoever reads it finds the files of the version that it is of.
function convertMirrors(file: string, connection: Connection): void {
  for (const [place] of prepareStatement(connection, "SELECT mirror FROM site").all() as [string][]) {
    if (!isMirrored(place)) continue;
    const folder = resolve(dirname(file), place);
    try {
      convertMirror(folder);
    } catch (error) {
      throw wrapSystemError(error, `rename files in ${folder}`, { folder });
    }
  }
}

const modes = {
  durable: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;",
  copy: "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;",
} as const;

function bringUpToDate(file: string, connection: Connection, kind: keyof typeof modes = "durable"): Connection {
  return inDatabase(file, () => {
    const [version] = prepareStatement(connection, "PRAGMA user_version").get() as [number];
    if (version > migrations.length) throw unknownVersion(file, version);
    connection.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    connection.exec(modes[kind]);
    if (version > 0 && version < mirrorNamesVersion) convertMirrors(file, connection);
    if (version < migrations.length) {
      transact(connection, () => {
        for (const statements of migrations.slice(version)) connection.exec(statements);
        connection.exec(`PRAGMA user_version = ${migrations.length}`);
      });
    }
    return connection;
  });
}
