import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder, type TempFolder } from "../temp-folder.ts";
import { requireCached } from "./programs.ts";
import { findFreePort, waitUntilUp } from "./web-server.ts";

/** What `setup.sh` built the server into. */
export const s3ServerName = "versitygw-1";

/** Versity's gateway from S3 to a folder: a server with signatures, conditions and errors as those of Amazon. */
export class S3Server implements AsyncDisposable {
  readonly bucket: string = "bodies";
  /** Holds a folder for each bucket. */
  readonly folder: string;
  /** What a client needs in its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly #temp: TempFolder;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(temp: TempFolder, folder: string, port: number) {
    this.#temp = temp;
    this.folder = folder;
    const sidecar = join(temp.path, "metadata");
    for (const made of [join(folder, this.bucket), sidecar]) mkdirSync(made, { recursive: true });
    const secret = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret key" };
    this.env = { ...secret, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_REGION: "us-east-1" };
    this.#args = [
      ...["--access", secret.AWS_ACCESS_KEY_ID, "--secret", secret.AWS_SECRET_ACCESS_KEY],
      ...["--port", `127.0.0.1:${port}`, "--quiet", "--keep-alive", "posix", "--sidecar", sidecar, folder],
    ];
  }

  /** @param folder - on whose disk the objects lie; default one of its own */
  static async open(folder?: string): Promise<S3Server> {
    const temp = makeTempFolder("s3");
    const server = new S3Server(temp, folder ?? join(temp.path, "data"), await findFreePort());
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const program = join(requireCached(s3ServerName), "bin", "versitygw");
    this.#child = spawn(program, this.#args, { stdio: ["ignore", "ignore", "pipe"] });
    await waitUntilUp(this.#child, this.env.AWS_ENDPOINT_URL ?? "");
  }

  /** Kills it, with whatever is under way. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** Lets it stand still, or go on. */
  freeze(isFrozen: boolean): void {
    this.#child?.kill(isFrozen ? "SIGSTOP" : "SIGCONT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#temp[Symbol.dispose]();
  }
}
