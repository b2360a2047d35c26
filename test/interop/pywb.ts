import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { requireCached } from "./programs.ts";
import { findFreePort } from "./web-server.ts";

/** An answer of a server, undecoded. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

const programs = (): string => join(requireCached("pywb-1"), "bin");

/** Runs `wb-manager` in pywb's folder. */
export async function runManager(folder: string, ...args: readonly string[]): Promise<void> {
  await promisify(execFile)(join(programs(), "wb-manager"), [...args], { cwd: folder, timeout: 120_000 });
}

/** Asks for a path as it is, and takes what comes as it is. */
export async function getRaw(port: number, path: string): Promise<RawAnswer> {
  const sent = request({ host: "127.0.0.1", port, path, headers: { "accept-encoding": "gzip" } }).end();
  const [response] = await once(sent, "response");
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) };
}

/** The replay server of pywb over a folder with `collections`. */
export async function startPywb(folder: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const port = await findFreePort();
  const args = ["-p", String(port), "-b", "127.0.0.1", "-d", folder];
  const child = spawn(join(programs(), "wayback"), args, { stdio: ["ignore", "ignore", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += chunk;
  });
  const exited = once(child, "exit");
  for (let isUp = false; !isUp; ) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`pywb did not start: ${complaint}`);
    isUp = await getRaw(port, "/").then(
      () => true,
      () => false,
    );
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
