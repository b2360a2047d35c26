import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createHttpsServer, type Server, type ServerOptions } from "node:https";
import { TidemarkError } from "../core/index.ts";
import type { BoincServer, Submission, UnitDispatcher } from "../fleet/index.ts";
import { endServer, type Listening, listen } from "./listener.ts";
import { isLoopback } from "./request-guard.ts";

/** Where volunteers ask for units. */
export interface VolunteerServerOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Certificate and its key in PEM. Default: none, which is only for the loopback. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly dispatcher: UnitDispatcher;
  /** The volunteer whose key a text is; undefined if it is nobody's. Takes the same time whatever is wrong. */
  readonly volunteerOf: (key: string) => string | undefined;
  readonly maxResultBytes: number;
  /** Answers BOINC's clients. Default: nobody does. */
  readonly boinc?: Pick<BoincServer, "answer"> | undefined;
  readonly clock?: (() => number) | undefined;
  /** Most requests of one volunteer in a minute. @default 120 */
  readonly requestsPerMinute?: number | undefined;
}

/** A server of work units. */
export interface VolunteerServer extends Listening, AsyncDisposable {}

const maxConnections = 512;
const requestMs = 120_000;
const defaultRequestsPerMinute = 120;
/** Results of one volunteer that are read at the same time, as many as one has units: each may take 8 MiB of memory. */
const resultsAtOnce = 4;
/** After an answer without a unit a volunteer asks again in a second, then after twice as long each time. */
const mostIdleSeconds = 4;
const statusOf: Readonly<Record<Submission, number>> = {
  accepted: 200,
  malformed: 400,
  refused: 403,
  unknown: 404,
  duplicate: 409,
  late: 410,
};

/** An answer that is not what was asked for. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** Requests of volunteers in the last minute: a bucket that fills evenly. */
class RequestBuckets {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  take(volunteer: string, now: number): boolean {
    const bucket = this.#buckets.get(volunteer) ?? { left: this.#perMinute, at: now };
    bucket.left = Math.min(this.#perMinute, bucket.left + (Math.max(0, now - bucket.at) * this.#perMinute) / 60_000);
    bucket.at = now;
    this.#buckets.set(volunteer, bucket);
    if (bucket.left < 1) return false;
    bucket.left--;
    return true;
  }
}

class UnitEndpoint {
  readonly #options: VolunteerServerOptions;
  readonly #clock: () => number;
  readonly #buckets: RequestBuckets;
  /** Answers without a unit in a row, by volunteer. */
  readonly #idle = new Map<string, number>();
  /** Results that are being read, by volunteer. */
  readonly #reading = new Map<string, number>();

  constructor(options: VolunteerServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? Date.now;
    this.#buckets = new RequestBuckets(options.requestsPerMinute ?? defaultRequestsPerMinute);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if ((await this.#options.boinc?.answer(request, response)) === true) return;
      await this.#route(request, response);
    } catch (error) {
      const { status, message, headers } = error instanceof Refusal ? error : new Refusal(500, "Something went wrong.");
      // What is left of a body that was refused is not read.
      if (!request.complete) response.setHeader("Connection", "close");
      if (!response.headersSent) send(response, status, `${message}\n`, headers);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { dispatcher } = this.#options;
    const { pathname, searchParams } = parseTarget(request.url ?? "");
    // Whoever has no key does not learn what is here.
    const volunteer = this.#volunteerOf(request);
    if (!["/unit", "/result", "/fail"].includes(pathname)) throw new Refusal(404, "There is nothing here.");
    if (request.method !== "POST") throw new Refusal(405, "Units are asked for with POST.", { Allow: "POST" });
    if (!this.#buckets.take(volunteer, this.#clock()))
      throw new Refusal(429, "Too many requests.", { "Retry-After": "60" });
    if (pathname === "/unit") {
      await readBody(request, 0);
      const [unit] = dispatcher.assign(volunteer, 1, this.#clock());
      const idle = unit === undefined ? (this.#idle.get(volunteer) ?? 0) : -1;
      this.#idle.set(volunteer, idle + 1);
      const seconds = Math.min(mostIdleSeconds, 2 ** idle);
      if (unit === undefined) send(response, 204, undefined, { "Retry-After": String(seconds) });
      else send(response, 200, unit.bytes, { "Tidemark-Unit": unit.name });
      return;
    }
    const name = searchParams.get("unit") ?? "";
    if (!/^[a-z0-9_-]{1,64}$/.test(name)) throw new Refusal(400, "The unit is not named.");
    if (pathname === "/fail") {
      await readBody(request, 0);
      dispatcher.fail(name, volunteer, this.#clock());
      send(response, 204, undefined);
      return;
    }
    const result = await this.#readResult(request, volunteer);
    const submission = dispatcher.submit(name, volunteer, result, this.#clock());
    send(response, statusOf[submission], `${submission}\n`);
  }

  async #readResult(request: IncomingMessage, volunteer: string): Promise<Uint8Array> {
    const reading = this.#reading.get(volunteer) ?? 0;
    if (reading >= resultsAtOnce) throw new Refusal(429, "Too many results at the same time.", { "Retry-After": "15" });
    this.#reading.set(volunteer, reading + 1);
    try {
      return await readBody(request, this.#options.maxResultBytes);
    } finally {
      this.#reading.set(volunteer, (this.#reading.get(volunteer) ?? 1) - 1);
    }
  }

  #volunteerOf({ headers }: IncomingMessage): string {
    const [, key = ""] = /^Bearer ([\w:-]{1,128})$/.exec(headers.authorization ?? "") ?? [];
    const volunteer = this.#options.volunteerOf(key);
    if (volunteer === undefined)
      throw new Refusal(401, "A volunteer's key is needed.", { "WWW-Authenticate": "Bearer" });
    return volunteer;
  }
}

function parseTarget(target: string): { readonly pathname: string; readonly searchParams: URLSearchParams } {
  try {
    return new URL(target, "http://localhost");
  } catch {
    throw new Refusal(400, "The request names no path.");
  }
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBytes) throw new Refusal(413, "The body is too long.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function send(
  response: ServerResponse,
  status: number,
  body: string | Uint8Array | undefined,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  response.writeHead(status, {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
    ...(bytes && { "Content-Type": "text/plain; charset=utf-8", "Content-Length": bytes.length }),
  });
  response.end(bytes);
}

/**
 * Serves work units to volunteers and takes their results, see docs/work-units.md. Nobody without a key is answered.
 *
 * @throws TidemarkError `bad-option` for an address that others reach without a certificate, or a certificate that is none;
 * `address-in-use`, `no-permission`
 */
export async function serveVolunteers(options: VolunteerServerOptions): Promise<VolunteerServer> {
  const { host, port, tls } = options;
  if (tls === undefined && !isLoopback(host))
    throw new TidemarkError("bad-option", `Keys of volunteers would cross the network in the clear at ${host}.`, {
      hint: "Give a certificate with --cert and --cert-key, or listen at 127.0.0.1 behind a server that has one.",
    });
  const endpoint = new UnitEndpoint(options);
  const times = { requestTimeout: requestMs, headersTimeout: 10_000 };
  const answer = (request: IncomingMessage, response: ServerResponse): void => void endpoint.answer(request, response);
  const server = tls === undefined ? createHttpServer(times, answer) : makeSecureServer({ ...times, ...tls }, answer);
  server.maxConnections = maxConnections;
  const listening = await listen(server, host, port);
  return { ...listening, [Symbol.asyncDispose]: () => endServer(server) };
}

function makeSecureServer(options: ServerOptions, answer: RequestListener): Server {
  try {
    return createHttpsServer(options, answer);
  } catch (error) {
    throw new TidemarkError("bad-option", `The certificate or its key cannot be used: ${(error as Error).message}.`, {
      hint: "--cert and --cert-key take files in PEM.",
      cause: error,
    });
  }
}
