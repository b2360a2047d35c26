import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { requireCached } from "./programs.ts";
import { findFreePort, startWebServer, type WebServer, waitUntilUp } from "./web-server.ts";

const bucket = "bucket";

/** Where `setup.sh` put rclone and aws. */
export const objectStorePrograms = (): string => join(requireCached("object-store-1"), "bin");

/**
 * A bucket of rclone's S3 server, and nginx that shows it as a site. Uploads come by way of a gate that lets one write at a
 * time through: after each, a reader may look at the site before the uploading program hears of its success.
 */
export class ObjectStore implements AsyncDisposable {
  readonly site: WebServer;
  /** For shells: rclone knows the bucket as `remote:bucket`, aws as `s3://bucket`. */
  readonly env: Readonly<Record<string, string>>;
  /** Objects that were written or deleted, such as `PUT robots.txt`. */
  readonly writes: string[] = [];
  /** Called after each of {@link writes}. */
  onWrite: (() => Promise<void>) | undefined;
  readonly #temp: TempFolder;
  readonly #server: ChildProcess;
  readonly #gate: Server;
  readonly #port: number;
  #turn: Promise<void> = Promise.resolve();

  private constructor(temp: TempFolder, server: ChildProcess, port: number, site: WebServer, gate: Server) {
    this.#temp = temp;
    this.#server = server;
    this.#port = port;
    this.site = site;
    this.#gate = gate;
    gate.on("request", (asked: IncomingMessage, answer: ServerResponse) => void this.#pass(asked, answer));
    const endpoint = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
    this.env = {
      RCLONE_CONFIG: join(temp.path, "rclone.conf"),
      RCLONE_CONFIG_REMOTE_TYPE: "s3",
      RCLONE_CONFIG_REMOTE_PROVIDER: "Rclone",
      RCLONE_CONFIG_REMOTE_ENDPOINT: endpoint,
      RCLONE_CONFIG_REMOTE_ACCESS_KEY_ID: "key",
      RCLONE_CONFIG_REMOTE_SECRET_ACCESS_KEY: "secret",
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "key",
      AWS_SECRET_ACCESS_KEY: "secret",
      AWS_DEFAULT_REGION: "us-east-1",
    };
  }

  static async open(): Promise<ObjectStore> {
    const temp = makeTempFolder("object-store");
    const data = join(temp.path, "data");
    mkdirSync(join(data, bucket), { recursive: true });
    const port = await findFreePort();
    const args = ["serve", "s3", data, "--addr", `127.0.0.1:${port}`, "--config", join(temp.path, "rclone.conf")];
    const server = spawn(join(objectStorePrograms(), "rclone"), args, { stdio: ["ignore", "ignore", "pipe"] });
    await waitUntilUp(server, `http://127.0.0.1:${port}/`);
    const snippet = `
location / {
  # S3 takes a + in a path for a space.
  if ($request_uri ~ [+]) { return 403; }
  rewrite ^(.*)/$ /${bucket}$1/index.html break;
  rewrite ^ /${bucket}$uri break;
  proxy_pass http://127.0.0.1:${port};
}`;
    const site = await startWebServer("nginx", temp.path, { snippet });
    const gate = createServer().listen(0, "127.0.0.1");
    await once(gate, "listening");
    return new ObjectStore(temp, server, port, site, gate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gate.close();
    this.#gate.closeAllConnections();
    await this.site[Symbol.asyncDispose]();
    const exited = once(this.#server, "exit");
    this.#server.kill("SIGTERM");
    await exited;
    this.#temp[Symbol.dispose]();
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "", url = "" } = asked;
    const isWrite = method === "PUT" || method === "DELETE" || method === "POST";
    const turn = isWrite
      ? this.#turn.then(() => this.#forward(asked, answer, true))
      : this.#forward(asked, answer, false);
    if (isWrite) this.#turn = turn.catch(() => undefined);
    await turn.catch((error: Error) => answer.destroy(new Error(`${method} ${url}`, { cause: error })));
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse, isWrite: boolean): Promise<void> {
    const { method = "", url = "", headers } = asked;
    const { expect: _, ...rest } = headers;
    const sent = request({ host: "127.0.0.1", port: this.#port, method, path: url, headers: rest, agent: false });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    await Promise.all([pipeline(asked, sent), answered]);
    const [response] = await answered;
    if (isWrite) {
      this.writes.push(`${method} ${decodeURIComponent(url.split("?", 1)[0] ?? "").replace(`/${bucket}/`, "")}`);
      await this.onWrite?.();
    }
    answer.writeHead(response.statusCode ?? 0, response.headers);
    await pipeline(response, answer);
  }
}
