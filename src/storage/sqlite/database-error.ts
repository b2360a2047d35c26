import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import Database from "libsql";
import { type ErrorCode, TidemarkError } from "../../core/index.ts";

const diskFull = ["disk-full", "Free some space and run the same command again: it goes on where it stopped."] as const;
const corrupt = [
  "state-corrupt",
  "Move it away: the next crawl reads the site's lists again, and fetches only pages that differ.",
] as const;
const sqliteIoError = 10;

// Primary result codes, https://www.sqlite.org/rescode.html
const codesOfSqlite: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  3: ["no-permission", "Change the permissions of the file and of its folder."],
  5: ["locked", "Wait until the other program has ended."],
  // Also of who only reads: the database makes files beside it.
  8: ["read-only", "Run as the crawl's user, make the file and its folder writable, or name another with --state."],
  [sqliteIoError]: ["io", "Look at the disk and at the system's log."],
  11: corrupt,
  13: diskFull,
  14: ["io", "Look at the file, its folder, and the permissions of both."],
  26: corrupt,
};

const whatHappened: Readonly<Partial<Record<ErrorCode, string>>> = {
  "state-corrupt": "The state is damaged",
  "disk-full": "There is no space left for the state",
};

// Less than this is no room: the database asks for space in larger pieces.
const noRoomBytes = 64 * 1024;

function primaryCodeOf(error: InstanceType<typeof Database.SqliteError>): number {
  return (error.rawCode ?? 0) & 0xff;
}

// When the database cannot extend one of its files, it reports a disk error.
function hasNoRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < noRoomBytes;
  } catch {
    return false;
  }
}

/** Whether the database is held by another connection. */
export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && primaryCodeOf(error) === 5;
}

function explain(error: InstanceType<typeof Database.SqliteError>, file: string) {
  const primary = primaryCodeOf(error);
  return primary === sqliteIoError && hasNoRoom(file) ? diskFull : codesOfSqlite[primary];
}

/** Turns an error of the database of a state into one that says which file and what to do; others pass through. */
export function wrapDatabaseError(error: unknown, file: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const known = explain(error, file);
  if (known === undefined) return error;
  const [code, hint] = known;
  const what = whatHappened[code] ?? "The state could not be used";
  return new TidemarkError(code, `${what}: ${file}: ${error.message}`, { hint, details: { file }, cause: error });
}

const otherHints: Readonly<Partial<Record<ErrorCode, string>>> = {
  locked: "Wait until the other program has ended.",
  "disk-full": diskFull[1],
};

/** As {@link wrapDatabaseError}, where the database is no state. @param what - such as `The search database` */
export function wrapOtherDatabaseError(error: unknown, what: string, file: string): unknown {
  if (!(error instanceof Error) || error instanceof TidemarkError) return error;
  if (error instanceof TypeError || error instanceof RangeError) return error;
  const isKnown = error instanceof Database.SqliteError;
  const [known = "io"] = (isKnown ? explain(error, file) : undefined) ?? [];
  const code = known === "state-corrupt" ? "io" : known;
  // What cannot be opened is told by an error of no class of its own, and without a reason.
  return new TidemarkError(code, `${what} ${file}: ${isKnown ? error.message : "it cannot be opened"}.`, {
    hint: otherHints[code] ?? "Look at the file, its folder and the disk.",
    details: { file },
    cause: error,
  });
}

/** Does something with the database of a file, and says which file it was if that fails. */
export function inDatabase<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw wrapDatabaseError(error, file);
  }
}
