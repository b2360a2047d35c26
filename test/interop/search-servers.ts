import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { repositoryFolder } from "../repository-folder.ts";
import { requireCached, requireProgram } from "./programs.ts";
import { findFreePort } from "./web-server.ts";

/** A search server of a test's own. */
export interface SearchServer extends AsyncDisposable {
  /** As `--to` takes it, up to the name of a table or an index. */
  readonly to: string;
}

/** The newest PostgreSQL that Debian installed. */
function postgresPrograms(): string {
  const versions = "/usr/lib/postgresql";
  const newest = readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0] ?? "";
  return join(versions, newest, "bin");
}

/** A PostgreSQL of a test's own. */
export interface PostgresServer extends SearchServer {
  /** As `postgres://user@host:port/database`. */
  readonly url: string;
  /** Stops it as by a crash, and starts it again. */
  restart(): void;
}

/** Starts PostgreSQL, as its user where the starter is root, over a database in a folder. */
export async function startPostgres(folder: string): Promise<PostgresServer> {
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
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${home}`;
  const start = (): void => run("pg_ctl", "-D", data, "-o", settings, "-l", join(home, "log"), "-w", "start");
  const stop = (): void => run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop");
  start();
  const url = `postgres://tidemark@127.0.0.1:${port}/postgres`;
  return {
    url,
    to: `${url}?table=`,
    restart: () => {
      stop();
      start();
    },
    [Symbol.asyncDispose]: async () => stop(),
  };
}

function idOf(flag: string): string {
  return execFileSync("id", [flag, "postgres"], { encoding: "utf8" }).trim();
}

/** Starts OpenSearch with one node over an index in a folder. */
export async function startOpenSearch(folder: string): Promise<SearchServer> {
  const home = join(folder, "opensearch");
  mkdirSync(home);
  const jars = join(requireCached("opensearch-1"), "*");
  const program = join(repositoryFolder(), "test", "interop", "opensearch", "OpenSearchServer.java");
  const child = spawn(requireProgram("java"), ["-Xmx512m", "-cp", jars, program, home], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^listening (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stdout.resume();
    return {
      to: `opensearch+http://127.0.0.1:${port}/`,
      [Symbol.asyncDispose]: async () => {
        child.stdin.end("\n");
        await exited;
      },
    };
  }
  throw new Error("OpenSearch did not start");
}
