import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type OutgoingHttpHeaders, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { makeTempFolder } from "../temp-folder.ts";
import { requireProgram } from "./programs.ts";

/** One line of a server's access log. */
export interface LoggedRequest {
  readonly method: string;
  /** The request target, as it was sent. */
  readonly uri: string;
  /** Such as `HTTP/1.1`. */
  readonly protocol: string;
  readonly status: number;
  /** Bytes of the body that were sent. */
  readonly bytes: number;
}

/** The servers that can be started. */
export const serverKinds = ["nginx", "apache2"] as const;

/** One of {@link serverKinds}. */
export type ServerKind = (typeof serverKinds)[number];

/** What a configuration is made of. */
interface ServerSettings {
  readonly port: number;
  readonly docroot: string;
  /** A folder of the server's own, for its pid, log and temporary files. */
  readonly folder: string;
  readonly logFile: string;
  /** As whom workers run where the starter is root. */
  readonly user: string | undefined;
  /** Whether text is compressed for those who ask, as Debian's servers do. */
  readonly gzip: boolean;
  /** More lines of configuration: in nginx's server block, after Apache's own. */
  readonly snippet: string;
  /** More lines in nginx's http block. */
  readonly http: string;
}

/** A real web server on loopback. */
export interface WebServer {
  readonly kind: ServerKind;
  readonly port: number;
  /** Base URL, with `/` at the end. */
  readonly url: string;
  /** As whom the workers read files, or undefined for the starter himself. */
  readonly user: string | undefined;
  /**
   * Every request since the start or the last call. The server ends gracefully and starts again on its
   * port, because a line may be written after the client has its answer.
   */
  readonly takeLog: () => Promise<LoggedRequest[]>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const gracefulStop = { nginx: "SIGQUIT", apache2: "SIGWINCH" } as const;
const logLine = /^(\S+) (\S+) (\S+) (\d{3}) (\d+|-)$/;

const apacheModules = "mpm_event authz_core mime dir deflate filter env headers alias rewrite include".split(" ");

// What Debian's servers do by default, on one port, with one folder, and a log that is easy to read.
function nginxConfig({ port, docroot, folder, logFile, user, gzip, snippet, http }: ServerSettings): string {
  return `
daemon off;
worker_processes 1;
${user === undefined ? "" : `user ${user};`}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log error;
events { worker_connections 768; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  log_format plain '$request_method $request_uri $server_protocol $status $body_bytes_sent';
  access_log ${logFile} plain;
  client_body_temp_path ${folder}/temp/body;
  proxy_temp_path ${folder}/temp/proxy;
  fastcgi_temp_path ${folder}/temp/fastcgi;
  uwsgi_temp_path ${folder}/temp/uwsgi;
  scgi_temp_path ${folder}/temp/scgi;
  sendfile on;
  tcp_nopush on;
  gzip ${gzip ? "on" : "off"};
  keepalive_requests 100000;
${http}
  server {
    listen 127.0.0.1:${port};
    root ${docroot};
    index index.html;
${snippet}
  }
}
`;
}

function apacheConfig({ port, docroot, folder, logFile, user, gzip, snippet }: ServerSettings): string {
  return `
ServerRoot ${folder}
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${user === undefined ? "" : `User ${user}\nGroup ${user}`}
PidFile ${folder}/apache2.pid
DefaultRuntimeDir ${folder}/temp
Mutex file:${folder}/temp
ErrorLog ${folder}/error.log
LogFormat "%r %>s %b" plain
CustomLog ${logFile} plain
KeepAlive On
MaxKeepAliveRequests 100000
TypesConfig /etc/mime.types
AddType application/x-gzip .gz .tgz
${gzip ? "AddOutputFilterByType DEFLATE text/html text/plain text/xml text/css application/javascript" : ""}
DocumentRoot ${docroot}
DirectoryIndex index.html
<Directory />
  Require all denied
</Directory>
<Directory ${docroot}>
  Options FollowSymLinks
  AllowOverride None
  Require all granted
</Directory>
${snippet}
`;
}

/** A port that nothing listened on a moment ago. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function parseLog(text: string): LoggedRequest[] {
  const requests: LoggedRequest[] = [];
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const [, method = "", uri = "", protocol = "", status, bytes] = logLine.exec(line) ?? [];
    if (status === undefined) throw new Error(`not a line of the access log: ${line}`);
    // The question whether the server is up is our own.
    if (method !== "OPTIONS")
      requests.push({ method, uri, protocol, status: Number(status), bytes: Number(bytes) || 0 });
  }
  return requests;
}

function startProcess(kind: ServerKind, configFile: string, folder: string): ChildProcess {
  const args = kind === "nginx" ? ["-p", folder, "-c", configFile] : ["-DFOREGROUND", "-d", folder, "-f", configFile];
  return spawn(requireProgram(kind), args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Waits until a server of a process answers. @throws if the process ends before */
export async function waitUntilUp(child: ChildProcess, url: string): Promise<void> {
  let complaint = "";
  child.stderr?.on("data", (chunk) => {
    complaint += chunk;
  });
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server did not start: ${complaint}`);
    try {
      await (await fetch(url, { method: "OPTIONS" })).arrayBuffer();
      return;
    } catch {
      // Not up yet. A turn of the loop between two attempts is a connection refused.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/**
 * Starts a server with a small configuration of our own, in a temporary folder, and waits until it answers.
 *
 * @param docroot - must be readable by everybody if the starter is root
 * @param options.port - default: a free one
 * @param options.gzip - default: true
 * @param options.snippet - more lines of configuration; default: none
 */
export async function startWebServer(
  kind: ServerKind,
  docroot: string,
  options: { readonly port?: number; readonly gzip?: boolean; readonly snippet?: string; readonly http?: string } = {},
): Promise<WebServer> {
  const temp = makeTempFolder(kind);
  const port = options.port ?? (await findFreePort());
  const user = process.getuid?.() === 0 ? "www-data" : undefined;
  const url = `http://127.0.0.1:${port}/`;
  const settings: ServerSettings = {
    port,
    docroot,
    folder: temp.path,
    logFile: join(temp.path, "access.log"),
    user,
    gzip: options.gzip ?? true,
    snippet: options.snippet ?? "",
    http: options.http ?? "",
  };
  const configFile = join(temp.path, "server.conf");
  mkdirSync(join(temp.path, "temp"));
  chmodSync(join(temp.path, "temp"), 0o777);
  writeFileSync(configFile, kind === "nginx" ? nginxConfig(settings) : apacheConfig(settings));
  const start = async (): Promise<ChildProcess> => {
    const started = startProcess(kind, configFile, temp.path);
    await waitUntilUp(started, url);
    return started;
  };
  const stop = async (running: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, "exit");
    running.kill(signal);
    await exited;
  };
  let child = await start();
  return {
    kind,
    port,
    url,
    user,
    takeLog: async () => {
      await stop(child, gracefulStop[kind]);
      const requests = parseLog(readFileSync(settings.logFile, "latin1"));
      rmSync(settings.logFile);
      child = await start();
      return requests;
    },
    [Symbol.asyncDispose]: async () => {
      await stop(child, "SIGTERM");
      temp[Symbol.dispose]();
    },
  };
}

/** The answer of a server, undecoded. */
interface RawAnswer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** Asks for a path as it is, and takes what comes as it is. */
export async function getRaw(port: number, path: string, headers: OutgoingHttpHeaders = {}): Promise<RawAnswer> {
  const sent = request({ host: "127.0.0.1", port, path, headers, agent: false }).end();
  const [response] = await once(sent, "response");
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) };
}

/** The first line of what a program says of its version. */
export function readVersion(program: string): string {
  const flag = program === "nginx" || program === "apache2" ? "-v" : "--version";
  const text = execFileSync("sh", ["-c", `"$0" ${flag} 2>&1`, requireProgram(program)], { encoding: "utf8" });
  return text.split("\n")[0] ?? "";
}
