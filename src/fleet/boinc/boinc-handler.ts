import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import {
  formatAccount,
  formatAccountError,
  formatMasterPage,
  formatProjectConfig,
  formatSchedulerReply,
  maxSchedulerRequestBytes,
  parseSchedulerRequest,
} from "../../formats/boinc/index.ts";
import { type BoincProject, outputNameOf, paths } from "./project.ts";
import { isSameText } from "./project-secret.ts";
import { answerScheduler } from "./scheduler.ts";
import { UploadHandler } from "./upload-handler.ts";

/** More bodies of those whom nobody knows yet are not read at the same time: this and the size of a request bound the memory. */
const maxBodies = 32;
/** Where there are as many, one that takes longer makes room. */
const slowMs = 5000;
const sweepEveryMs = 60_000;
const text = "text/xml; charset=utf-8";

/** Answers BOINC's clients. One for each server. */
export class BoincHandler {
  readonly #project: BoincProject;
  readonly #uploads: UploadHandler;
  /** Requests whose bodies are read, with when that began, the oldest first. */
  readonly #bodies = new Map<IncomingMessage, number>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(project: BoincProject) {
    this.#project = project;
    this.#uploads = new UploadHandler(project);
  }

  /** Answers a request. @returns false, with nothing sent, if its path is none of BOINC's */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const url = parseTarget(request.url ?? "");
    if (url === undefined) return false;
    if (request.method === "POST") return this.#answerPost(url.pathname, request, response);
    if (request.method !== "GET") return false;
    const body = this.#findPage(url) ?? this.#findDownload(url.pathname);
    if (body === undefined) return false;
    if (typeof body === "string") send(response, 200, body);
    else sendBytes(request, response, body);
    return true;
  }

  #findPage({ pathname, searchParams }: URL): string | undefined {
    const { name, masterUrl, application } = this.#project;
    switch (pathname) {
      case "/":
        return formatMasterPage(name, new URL(paths.scheduler, masterUrl).href);
      case paths.projectConfig:
        return formatProjectConfig(name, masterUrl, Object.keys(application.platforms));
      case paths.lookupAccount:
        return this.#lookUpAccount(searchParams);
      case paths.createAccount:
        return formatAccountError("disabled");
      default:
        return undefined;
    }
  }

  // Managers with windows ask for an e-mail address and a password: these are the account's name and its key.
  #lookUpAccount(parameters: URLSearchParams): string {
    const address = (parameters.get("email_addr") ?? "").toLowerCase();
    const key = this.#project.accounts.keyOf(address.split("@")[0] ?? "");
    if (address.length > 256 || key === undefined) return formatAccountError("not-found");
    const right = createHash("md5").update(`${key}${address}`).digest("hex");
    return isSameText(parameters.get("passwd_hash") ?? "", right)
      ? formatAccount(key)
      : formatAccountError("not-found");
  }

  #findDownload(path: string): Uint8Array | undefined {
    const { applicationBytes, secret, store } = this.#project;
    if (path.startsWith(paths.application)) return applicationBytes.get(path.slice(paths.application.length));
    if (!path.startsWith(paths.unit)) return undefined;
    const [task = "", token = "", ...rest] = path.slice(paths.unit.length).split("/");
    if (rest.length > 0 || !isSameText(token, secret.token("input", task))) return undefined;
    const found = store.findTask(task);
    return found?.isReported === false ? found.unit : undefined;
  }

  async #answerPost(path: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (path !== paths.scheduler && path !== paths.upload) return false;
    if (!this.#hasRoom()) {
      send(response.setHeader("Connection", "close"), 503, "");
      return true;
    }
    this.#bodies.set(request, this.#project.now());
    try {
      const isKnown = (): unknown => this.#bodies.delete(request);
      if (path === paths.upload) send(response, 200, await this.#uploads.answer(request, isKnown));
      else await this.#schedule(request, response);
      // What was not read of the body is not read any more.
      if (!request.complete) request.destroy();
    } catch (error) {
      response.destroy();
      // A request that breaks off is an ordinary day.
      if (!request.errored) this.#project.onEvent({ event: "boinc-failed", reason: String(error) });
    } finally {
      this.#bodies.delete(request);
    }
    return true;
  }

  /** Whether one more body may be read; breaks off the oldest one if that is slow. */
  #hasRoom(): boolean {
    if (this.#bodies.size < maxBodies) return true;
    const [[request, since] = []] = this.#bodies;
    if (request === undefined || since === undefined || this.#project.now() - since < slowMs) return false;
    this.#bodies.delete(request);
    request.destroy();
    return true;
  }

  async #schedule(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, maxSchedulerRequestBytes);
    if (body === undefined) return send(response.setHeader("Connection", "close"), 413, "");
    const parsed = parseSchedulerRequest(body);
    if (!parsed.ok) {
      this.#project.onEvent({ event: "boinc-refused", volunteer: "", reason: parsed.error.message });
      return send(response, 400, "");
    }
    await this.#forgetTasks();
    send(response, 200, formatSchedulerReply(await answerScheduler(this.#project, parsed.value)));
  }

  async #forgetTasks(): Promise<void> {
    const now = this.#project.now();
    if (now < this.#sweptAt + sweepEveryMs) return;
    this.#sweptAt = now;
    for (const task of this.#project.store.forgetTasks(now))
      await rm(join(this.#project.uploadFolder, outputNameOf(this.#project, task)), { force: true });
  }
}

function parseTarget(target: string): URL | undefined {
  try {
    return target.startsWith("/") ? new URL(target, "http://server") : undefined;
  } catch {
    return undefined;
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "Content-Type": text, "Content-Length": Buffer.byteLength(body) }).end(body);
}

// Clients go on with a download where it broke off: `bytes=N-` is all they ask.
function sendBytes(request: IncomingMessage, response: ServerResponse, bytes: Uint8Array): void {
  const from = Number(/^bytes=(\d{1,12})-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  if (from > 0 && from >= bytes.length) {
    response.writeHead(416, { "Content-Range": `bytes */${bytes.length}`, "Content-Length": 0 }).end();
    return;
  }
  const range = from === 0 ? {} : { "Content-Range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  const rest = bytes.subarray(from);
  response
    .writeHead(from === 0 ? 200 : 206, {
      "Content-Type": "application/octet-stream",
      "Content-Length": rest.length,
      "Accept-Ranges": "bytes",
      ...range,
    })
    .end(rest);
}
