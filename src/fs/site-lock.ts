import { createHash, randomBytes } from "node:crypto";
import { closeSync, readFileSync } from "node:fs";
import { link, readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { fillFile, temporaryName } from "./durable-file.ts";
import { shownPath } from "./held-folder.ts";

const lockFileName = "lock";
/** A server that shows hidden files has no right to read it. */
const publishingLockName = ".tidemark.lock";

/** What file systems answer that have no links, and folders in which nothing can be written. */
const unlockable: readonly unknown[] = ["EROFS", "EACCES", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Who holds a site's lock. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, in the kernel's own clock; tells a reused process number from the holder. */
  readonly processStart: string;
  /** When it took it, as ISO 8601. */
  readonly since: string;
}

/** Who holds a site's lock and is alive; undefined if nobody does. A lock is only looked at, never taken. */
export async function findLockHolder(folder: string): Promise<LockHolder | undefined> {
  const held = await readIfThere(join(folder, lockFileName));
  const holder = held === undefined ? undefined : parseHolder(held);
  return holder !== undefined && isAlive(holder) ? holder : undefined;
}

/** The boot's id; "" where there is no /proc. */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}

/**
 * A process's start: the boot's id and clock ticks since then (proc(5), fields 3 and 22 of stat).
 *
 * @returns "" where there is no /proc, or it hides the process; undefined of a process that ended and was not waited for
 */
function readProcessStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    const bootId = readBootId();
    return bootId === "" ? "" : `${bootId} ${fields[19]}`;
  } catch {
    return "";
  }
}

function isAlive(holder: LockHolder): boolean {
  if (holder.host !== hostname()) return true; // Another machine: there is no way to know.
  const bootId = readBootId();
  // No process outlives a boot. Its number may be another user's process now, whose start ProtectProc= of the units hides.
  if (bootId !== "" && holder.processStart !== "" && !holder.processStart.startsWith(`${bootId} `)) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const start = readProcessStart(holder.pid);
  if (start === undefined) return false;
  return start === "" || holder.processStart === "" || start === holder.processStart;
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const { pid, host, processStart = "", since = "?" } = JSON.parse(text) as Partial<LockHolder>;
    return typeof pid === "number" && typeof host === "string" ? { pid, host, processStart, since } : undefined;
  } catch {
    return undefined;
  }
}

/** The right to export one site, until disposed. A killed process's lock is taken over. */
export class SiteLock {
  readonly #path: string;
  readonly #content: string;

  private constructor(path: string, content: string) {
    this.#path = path;
    this.#content = content;
  }

  /**
   * Takes the lock.
   *
   * @param folder - the site's state folder, which exists
   * @throws TidemarkError `locked`, with who holds it
   */
  static async take(folder: string, since: Date): Promise<SiteLock> {
    return await SiteLock.#take(join(folder, lockFileName), 0o644, since);
  }

  /**
   * Takes the lock of a published folder, so that exports that remember in different folders take turns.
   *
   * @param folder - the published folder, which exists
   * @returns undefined where no lock can be: where nothing can be written nothing need be guarded, and some file
   *   systems have no links
   * @throws TidemarkError `locked`, with who holds it; `disk-full`
   */
  static async takePublishing(folder: string, since: Date): Promise<SiteLock | undefined> {
    try {
      // The group too, for the unit's user may have another number next time.
      return await SiteLock.#take(join(folder, publishingLockName), 0o640, since);
    } catch (error) {
      if (error instanceof TidemarkError && unlockable.includes(error.details.errno)) return undefined;
      throw error;
    }
  }

  static async #take(path: string, mode: number, since: Date): Promise<SiteLock> {
    const holder: LockHolder = {
      pid: process.pid,
      host: hostname(),
      processStart: readProcessStart(process.pid) ?? "",
      since: since.toISOString(),
    };
    // The nonce makes no two locks equal: see removeStale.
    const content = `${JSON.stringify({ ...holder, nonce: randomBytes(8).toString("hex") })}\n`;
    await acquire(path, content, mode);
    await removeLeftClaims(path);
    return new SiteLock(path, content);
  }

  /** Gives the lock back. */
  async [Symbol.asyncDispose](): Promise<void> {
    if ((await readIfThere(this.#path)) === this.#content) await rm(this.#path, { force: true });
  }
}

async function acquire(path: string, content: string, mode: number): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (await create(path, content, mode)) return;
    const held = await readHeld(path);
    if (held === undefined) continue;
    const holder = parseHolder(held);
    if (holder !== undefined && isAlive(holder)) throw lockedBy(holder, path);
    await removeStale(path, held, content, mode);
  }
  throw new TidemarkError("locked", `The lock ${shownPath(path)} keeps passing from one process to another.`, {
    hint: "Run one export of a site at a time.",
  });
}

// A link appears with its content: no one ever reads an empty lock.
async function create(path: string, content: string, mode: number): Promise<boolean> {
  const own = temporaryName(path);
  try {
    closeSync(fillFile(own, content, { mode }));
    await link(own, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Who holds the lock cleans up temporary files, this one too.
    if (code === "EEXIST" || code === "ENOENT") return false;
    throw wrapSystemError(error, `take the lock ${shownPath(path)}`, { path: shownPath(path) });
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes a dead process's lock. Two that find it must not both remove it: the second would remove the
 * first's new lock. So it is removed by who holds a second lock, named by the first's content, and only
 * if it is still the same: nobody else can have put another in its place.
 */
async function removeStale(path: string, stale: string, content: string, mode: number): Promise<void> {
  const claim = `${path}-${createHash("sha256").update(stale).digest("hex").slice(0, 16)}`;
  await acquire(claim, content, mode);
  try {
    if ((await readIfThere(path)) === stale) await rm(path, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

// Claims of locks that are gone do nothing any more, whoever holds them.
async function removeLeftClaims(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${basename(path)}-`)) await rm(join(folder, name), { force: true });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch(() => undefined);
}

async function readHeld(held: string): Promise<string | undefined> {
  try {
    return await readFile(held, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") return undefined;
    const path = shownPath(held);
    throw new TidemarkError("locked", `Another user's export of this site holds the lock ${path}, or left it.`, {
      hint: `Wait for it, or stop it. If it is surely gone, remove ${path}.`,
      details: { path },
      cause: error,
    });
  }
}

function lockedBy({ pid, host, since }: LockHolder, held: string): TidemarkError {
  const path = shownPath(held);
  return new TidemarkError(
    "locked",
    `Another export of this site is running: process ${pid} on ${host}, since ${since}.`,
    {
      hint: `Wait for it, or stop it. If it is surely gone, remove ${path}.`,
      details: { path, pid, host, since },
    },
  );
}
