import { readFileSync } from "node:fs";
import { link, open, readFile, rename, rm, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { TidemarkError, wrapSystemError } from "../model/index.ts";

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, in the kernel's own clock; tells a reused process number from the holder. */
  readonly processStart: string;
  readonly since: string;
}

/** A process's start in clock ticks since boot (proc(5), field 22 of stat), or "" where there is no /proc. */
function readProcessStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true; // Another machine: there is no way to know.
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const start = readProcessStart(holder.pid);
  return start === "" || holder.processStart === "" || start === holder.processStart;
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, host, processStart = "", since = "?" } = JSON.parse(text) as Partial<Holder>;
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
    const path = join(folder, "lock");
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      processStart: readProcessStart(process.pid),
      since: since.toISOString(),
    };
    const lock = new SiteLock(path, `${JSON.stringify(holder)}\n`);
    for (let attempt = 0; attempt < 5; attempt++) {
      if (await lock.#create()) return lock;
      await removeStale(path);
    }
    throw new TidemarkError("locked", `The lock ${path} changes hands all the time.`, {
      hint: "Run one export of a site at a time.",
    });
  }

  // A link appears with its content: no one ever reads an empty lock.
  async #create(): Promise<boolean> {
    const own = `${this.#path}.${process.pid}`;
    try {
      const handle = await open(own, "w", 0o644);
      await handle.writeFile(this.#content).finally(() => handle.close());
      await link(own, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw wrapSystemError(error, `take the lock ${this.#path}`, { path: this.#path });
    } finally {
      await rm(own, { force: true });
    }
  }

  /** Gives the lock back. */
  async [Symbol.asyncDispose](): Promise<void> {
    const held = await readFile(this.#path, "utf8").catch(() => "");
    if (held === this.#content) await rm(this.#path, { force: true });
  }
}

async function removeStale(path: string): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return;
  const holder = parseHolder(text);
  if (holder !== undefined && isAlive(holder)) {
    const { pid, host, since } = holder;
    throw new TidemarkError(
      "locked",
      `Another export of this site is running: process ${pid} on ${host}, since ${since}.`,
      {
        hint: `Wait for it, or stop it. If it is surely gone, remove ${path}.`,
        details: { path, pid, host, since },
      },
    );
  }
  // Two that find one stale lock must not both remove it: the second would remove the first's new lock.
  const aside = `${path}.stale-${process.pid}`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, "utf8").catch(() => text);
  if (moved !== text) await link(aside, path).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}
