import { readFileSync } from "node:fs";
import { TidemarkError } from "../../core/index.ts";

/** The user as whom the web server reads files. */
export interface ReaderIdentity {
  readonly uid: number;
  readonly gids: ReadonlySet<number>;
}

/** Somebody who owns nothing: only what everybody may read is published. */
const stranger: ReaderIdentity = { uid: -1, gids: new Set() };

/**
 * Finds out as whom the server reads.
 *
 * @param userName - a name of /etc/passwd; by default the exporter's own user, and nobody in
 *   particular if that is root, who could read everything
 * @throws TidemarkError `bad-option` if there is no such user
 */
export function findReaderIdentity(userName?: string): ReaderIdentity {
  if (userName === undefined) {
    // Not by name: a user of a container or of a service manager's making may be in no table.
    const uid = process.getuid?.() ?? -1;
    return uid === 0 ? stranger : { uid, gids: new Set([process.getgid?.() ?? -1, ...(process.getgroups?.() ?? [])]) };
  }
  const user = readTable("/etc/passwd").find((fields) => fields[0] === userName && fields.length >= 4);
  if (user === undefined) {
    throw new TidemarkError("bad-option", `There is no user ${JSON.stringify(userName)} on this machine.`, {
      hint: "Give --server-user the user as whom the web server reads files, often www-data or nginx.",
    });
  }
  return { uid: Number(user[2]), gids: groupsOf(userName, Number(user[3])) };
}

function groupsOf(userName: string, gid: number): ReadonlySet<number> {
  const memberships = readTable("/etc/group").filter((fields) => (fields[3] ?? "").split(",").includes(userName));
  return new Set([gid, ...memberships.map((fields) => Number(fields[2]))]);
}

// passwd(5) and group(5); a machine without them has no further groups either.
function readTable(path: string): string[][] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}

export interface Ownership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whether the reader may read a file, or enter a folder, by its permission bits (POSIX.1 section 4.7).
 *
 * @param bit - 4 to read, 1 to enter
 */
export function isPermitted(file: Ownership, identity: ReaderIdentity, bit: 4 | 1): boolean {
  if (identity.uid === 0) return true;
  if (file.uid === identity.uid) return (file.mode & (bit << 6)) !== 0;
  if (identity.gids.has(file.gid)) return (file.mode & (bit << 3)) !== 0;
  return (file.mode & bit) !== 0;
}
