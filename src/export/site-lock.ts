import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, open, readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { TidemarkError, wrapSystemError } from "../model/index.ts";
import { temporaryName } from "./durable-file.ts";

const lockFileName = "lock";

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

/**
 * A process's start: the boot's id and clock ticks since then (proc(5), fields 3 and 22 of stat).
 *
 * @returns "" where there is no /proc, undefined of a process that ended and was not waited for
 */
function readProcessStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return undefined;
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()} ${fields[19]}`;
  } catch {
    return "";
  }
}

function isAlive(holder: LockHolder): boolean {
  if (holder.host !== hostname()) return true; // Another machine: there is no way to know.
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
    const path = join(folder, lockFileName);
    const holder: LockHolder = {
      pid: process.pid,
      host: hostname(),
      processStart: readProcessStart(process.pid) ?? "",
      since: since.toISOString(),
    };
    // The nonce makes no two locks equal: see removeStale.
    const content = `${JSON.stringify({ ...holder, nonce: randomBytes(8).toString("hex") })}\n`;
    await acquire(path, content);
    await removeLeftClaims(folder, path);
    return new SiteLock(path, content);
  }

  /** Gives the lock back. */
  async [Symbol.asyncDispose](): Promise<void> {
    if ((await readIfThere(this.#path)) === this.#content) await rm(this.#path, { force: true });
  }
}

async function acquire(path: string, content: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    if (await create(path, content)) return;
    const held = await readIfThere(path);
    if (held === undefined) continue;
    const holder = parseHolder(held);
    if (holder !== undefined && isAlive(holder)) throw lockedBy(holder, path);
    await removeStale(path, held, content);
  }
  throw new TidemarkError("locked", `The lock ${path} changes hands all the time.`, {
    hint: "Run one export of a site at a time.",
  });
}

// A link appears with its content: no one ever reads an empty lock.
async function create(path: string, content: string): Promise<boolean> {
  const own = temporaryName(path);
  try {
    const handle = await open(own, "wx", 0o644);
    await handle.writeFile(content).finally(() => handle.close());
    await link(own, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Who holds the lock cleans up temporary files, this one too.
    if (code === "EEXIST" || code === "ENOENT") return false;
    throw wrapSystemError(error, `take the lock ${path}`, { path });
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes a dead process's lock. Two that find it must not both remove it: the second would remove the
 * first's new lock. So it is removed by who holds a second lock, named by the first's content, and only
 * if it is still the same: nobody else can have put another in its place.
 */
async function removeStale(path: string, stale: string, content: string): Promise<void> {
  const claim = `${path}-${createHash("sha256").update(stale).digest("hex").slice(0, 16)}`;
  await acquire(claim, content);
  try {
    if ((await readIfThere(path)) === stale) await rm(path, { force: true });
  } finally {
    await rm(claim, { force: true });
  }
}

// Claims of locks that are gone do nothing any more, whoever holds them.
async function removeLeftClaims(folder: string, path: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${basename(path)}-`)) await rm(join(folder, name), { force: true });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return await readFile(path, "utf8").catch(() => undefined);
}

function lockedBy({ pid, host, since }: LockHolder, path: string): TidemarkError {
  return new TidemarkError(
    "locked",
    `Another export of this site is running: process ${pid} on ${host}, since ${since}.`,
    {
      hint: `Wait for it, or stop it. If it is surely gone, remove ${path}.`,
      details: { path, pid, host, since },
    },
  );
}
