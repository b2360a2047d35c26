import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, createReadStream, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { EpochMs } from "../../../src/core/time.ts";
import { requireProgram } from "../../interop/programs.ts";
import { addressOfHost } from "./loopback-names.ts";

/** A request that nginx answered. */
export interface HostRequest {
  readonly at: EpochMs;
  readonly host: string;
  readonly path: string;
  readonly status: number;
  readonly bytes: number;
  /** Time of the file that was served, in seconds since 1970; undefined if none was. */
  readonly modified: number | undefined;
  readonly agent: string;
}

/** A virtual host. */
export interface HostRoot {
  readonly host: string;
  readonly docroot: string;
  /** Loopback address. @default that of the host's name */
  readonly address?: string;
}

/** A real nginx with many virtual hosts. */
export interface NginxHosts extends AsyncDisposable {
  readonly pid: number;
  /** Ends gracefully, and gives the log of all that was asked. */
  stop(): Promise<AsyncIterable<HostRequest>>;
}

const logLine = /^(\d+)\.(\d{3}) (\S+) (\S+) (\d{3}) (\d+) (\S+) (.*)$/;
/** nginx makes an ETag of a file's time and its size, and writes its quotation marks like this. */
const etagTime = /^(?:W\/)?\\x22([0-9a-f]+)-/;

const addressOf = ({ host, address }: HostRoot): string => address ?? addressOfHost(host) ?? "";

function configOf(hosts: readonly HostRoot[], port: number, folder: string, workers: string): string {
  const addresses = new Set(hosts.map(addressOf));
  const user = process.getuid?.() === 0 ? `user ${workers};` : "";
  const listens = [...addresses].map((address) => `    listen ${address}:${port};`).join("\n");
  const servers = hosts.map(
    (one) =>
      `  server { listen ${addressOf(one)}:${port}; server_name ${one.host}; root ${one.docroot}; index index.html; }`,
  );
  return `
daemon off;
worker_processes 1;
${user}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 8192; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  server_names_hash_max_size 8192;
  server_names_hash_bucket_size 128;
  log_format hosts '$msec $host $request_uri $status $body_bytes_sent $sent_http_etag $http_user_agent';
  access_log ${folder}/access.log hosts buffer=64k flush=1s;
  client_body_temp_path ${folder}/temp/body;
  proxy_temp_path ${folder}/temp/proxy;
  fastcgi_temp_path ${folder}/temp/fastcgi;
  uwsgi_temp_path ${folder}/temp/uwsgi;
  scgi_temp_path ${folder}/temp/scgi;
  sendfile on;
  server {
${listens}
    server_name "";
    return 444;
  }
${servers.join("\n")}
}
`;
}

async function waitUntilUp(child: ChildProcess, port: number, address: string): Promise<void> {
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint += chunk;
  });
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`nginx did not start: ${complaint}`);
    const socket = connect(port, address);
    const isUp = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function* readLog(file: string): AsyncGenerator<HostRequest, void, void> {
  for await (const line of createInterface({ input: createReadStream(file, "latin1") })) {
    const [, seconds, ms, host = "", path = "", status, bytes, etag = "", agent = ""] = logLine.exec(line) ?? [];
    if (status === undefined) throw new Error(`not a line of the access log: ${line}`);
    const time = etagTime.exec(etag)?.[1];
    const modified = time === undefined ? undefined : Number.parseInt(time, 16);
    yield {
      at: Number(seconds) * 1000 + Number(ms),
      ...{ host, path, status: Number(status), bytes: Number(bytes), modified, agent },
    };
  }
}

/**
 * Starts nginx on the loopback addresses of these hosts, and waits until it answers.
 *
 * @param workers - as whom its workers read files, where root starts it
 */
export async function startNginxHosts(
  hosts: readonly HostRoot[],
  port: number,
  folder: string,
  workers = "www-data",
): Promise<NginxHosts> {
  mkdirSync(join(folder, "temp"), { recursive: true });
  chmodSync(join(folder, "temp"), 0o777);
  const configFile = join(folder, "nginx.conf");
  writeFileSync(configFile, configOf(hosts, port, folder, workers));
  const child = spawn(requireProgram("nginx"), ["-p", folder, "-c", configFile], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await waitUntilUp(child, port, hosts[0] === undefined ? "" : addressOf(hosts[0]));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    stop: async () => {
      await end("SIGQUIT");
      return readLog(join(folder, "access.log"));
    },
    [Symbol.asyncDispose]: async () => await end("SIGTERM"),
  };
}
