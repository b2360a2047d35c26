import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { TidemarkError, wrapSystemError } from "../../core/index.ts";
import { type Connection, openConnection } from "./database.ts";
import { isDatabaseBusy, wrapDatabaseError } from "./database-error.ts";

/** Longer than {@link isLocked} holds a lock, also on a busy machine. */
const patienceMs = 500;

/** A lock that ends with the process that holds it, however that ends. */
export interface FileLock {
  release(): void;
}

function describeHolder(file: string): { message: string; details: Record<string, unknown> } {
  try {
    const holder = JSON.parse(readFileSync(file, "utf8")) as { pid?: unknown; host?: unknown; since?: unknown };
    const { pid, host, since } = holder;
    return { message: `process ${pid} on ${host}, since ${since}`, details: { pid, host, since } };
  } catch {
    return { message: "another process", details: {} };
  }
}

/**
 * Takes a lock.
 *
 * An exclusive transaction on an empty database is the lock: the system releases it with the process,
 * so that no stale lock stays behind after a crash. Who holds it stands in a file beside it.
 *
 * @throws TidemarkError `locked`, with who holds it
 */
export function acquireLock(file: string): FileLock {
  const holderFile = `${file}-holder.json`;
  const connection: Connection = openConnection(file);
  try {
    connection.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (!isDatabaseBusy(error)) throw wrapDatabaseError(error, file);
    const { message, details } = describeHolder(holderFile);
    throw new TidemarkError("locked", `Another crawl is using ${file.replace(/\.lock$/, "")}: ${message}.`, {
      hint: "Wait until it has ended, or use another folder.",
      details: { ...details, file },
      cause: error,
    });
  }
  try {
    writeHolder(holderFile);
  } catch (error) {
    connection.close();
    throw wrapSystemError(error, `write ${holderFile}`, { file: holderFile });
  }
  return {
    release: () => {
      rmSync(holderFile, { force: true });
      connection.exec("ROLLBACK");
      connection.close();
    },
  };
}

/**
 * Whether somebody holds a lock; undefined if that cannot be told. To find out, it is taken for an instant, so that it is
 * to be asked only where nobody seems to hold it.
 */
export function isLocked(file: string): boolean | undefined {
  if (!existsSync(file)) return false;
  let connection: Connection | undefined;
  try {
    connection = openConnection(file);
    connection.exec("BEGIN EXCLUSIVE");
    connection.exec("ROLLBACK");
    return false;
  } catch (error) {
    return isDatabaseBusy(error) ? true : undefined;
  } finally {
    connection?.close();
  }
}

function writeHolder(file: string): void {
  writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() }));
}
