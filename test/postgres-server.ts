import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "./interop/web-server.ts";

/** A PostgreSQL of a test's own. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Stops it as a crash would, and starts it again. */
  readonly restart: () => void;
}

/** The newest PostgreSQL that Debian installed. */
function postgresPrograms(): string {
  const versions = "/usr/lib/postgresql";
  const newest = readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0] ?? "";
  return join(versions, newest, "bin");
}

/**
 * Starts PostgreSQL, as its user where the starter is root, over a database in a folder.
 *
 * @param options - more of the command line of `postgres`
 */
export async function startPostgres(folder: string, options = ""): Promise<PostgresServer> {
  const programs = postgresPrograms();
  const port = await findFreePort();
  const isRoot = process.getuid?.() === 0;
  const run = (program: string, ...args: readonly string[]): void => {
    const command = [join(programs, program), ...args];
    const [name = "", ...rest] = isRoot ? ["runuser", "-u", "postgres", "--", ...command] : command;
    execFileSync(name, rest, { stdio: "ignore", cwd: folder, timeout: 120_000 });
  };
  const home = join(folder, "postgres");
  mkdirSync(home);
  chmodSync(folder, 0o711);
  if (isRoot) chownSync(home, Number(idOf("-u")), Number(idOf("-g")));
  const data = join(home, "data");
  run("initdb", "-D", data, "-A", "trust", "-U", "tidemark", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8");
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${home} ${options}`;
  run("pg_ctl", "-D", data, "-o", settings, "-l", join(home, "log"), "-w", "start");
  return {
    port,
    url: `postgres://tidemark@127.0.0.1:${port}/postgres`,
    restart: () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "restart"),
    [Symbol.asyncDispose]: async () => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"),
  };
}

function idOf(flag: string): string {
  return execFileSync("id", [flag, "postgres"], { encoding: "utf8" }).trim();
}
