import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { excerpt, parseUrl, TidemarkError } from "../core/index.ts";
import type { FollowStatus, SiteDecision } from "../crawler/index.ts";
import {
  type FollowerPageOptions,
  followerPageScript,
  followerPageStyle,
  formatFollowerMetrics,
  renderFollowerPage,
  renderFollowerParts,
} from "../report/index.ts";
import { chooseType } from "./accepted-type.ts";
import { EventStream } from "./event-stream.ts";
import { endServer, type Listening, listen } from "./listener.ts";
import { isAskedByName, isLoopback, isOwnRequest, isSameSecret } from "./request-guard.ts";

/** Where a follower is shown, and who takes decisions. */
export interface FollowerServerOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Names and addresses by which others reach it; none but the loopback's are needed on the loopback. */
  readonly allowedHosts?: readonly string[];
  /** Makes a decision about a site; rejects with `not-found` if the site is not followed. */
  readonly decide: (decision: SiteDecision) => Promise<unknown>;
}

/** A server of metrics and of a page. */
export interface FollowerServer extends Listening, AsyncDisposable {
  /** Takes a newer status. */
  show(status: FollowStatus): void;
}

const paths = { style: "/style.css", script: "/script.js", events: "/events", control: "/control" } as const;
const mostFormBytes = 4096;
const mostConnections = 256;
/** Parts of the page are made at most so often, however many listen. */
const leastUpdateMs = 900;
const openMetricsType = "application/openmetrics-text";
const metricsTypes = {
  [openMetricsType]: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  "text/plain": "text/plain; version=0.0.4; charset=utf-8",
} as const;

const baseHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  // Without an origin of its own a form could not be told from that of another site.
  "Referrer-Policy": "same-origin",
};
const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Frame-Options": "DENY",
};

/** An answer that is not what was asked for. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

class FollowerSite {
  readonly #options: FollowerServerOptions;
  readonly #names: ReadonlySet<string>;
  readonly #page: FollowerPageOptions;
  readonly events: EventStream = new EventStream();
  #status: FollowStatus | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(options: FollowerServerOptions) {
    const { host, allowedHosts = [] } = options;
    this.#options = options;
    this.#names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
    // Who can reach the loopback may control what runs there; nobody else is asked who he is.
    this.#page = { paths, token: isLoopback(host) ? randomBytes(24).toString("base64url") : undefined };
  }

  show(status: FollowStatus): void {
    this.#status = status;
    const now = performance.now();
    if (!this.events.isHeard || now - this.#shownAt < leastUpdateMs) return;
    this.#shownAt = now;
    this.events.set(renderFollowerParts(status, this.#page));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      const [status, message] =
        error instanceof Refusal ? [error.status, error.message] : [500, "Something went wrong."];
      // What is left of a body that was refused is not read.
      if (!request.complete) response.setHeader("Connection", "close");
      if (!response.headersSent) send(request, response, "text/plain; charset=utf-8", `${message}\n`, {}, status);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAskedByName(request.headers, this.#names))
      throw new Refusal(421, "This server is not reached by that name (see --allow-host of tidemark crawl).");
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    if (pathname === paths.control) return await this.#control(request, response);
    const answers: Readonly<Record<string, () => void>> = {
      "/": () =>
        send(request, response, "text/html; charset=utf-8", renderFollowerPage(this.#status, this.#page), pageHeaders),
      "/metrics": () => this.#sendMetrics(request, response),
      [paths.style]: () => send(request, response, "text/css; charset=utf-8", followerPageStyle),
      [paths.script]: () => send(request, response, "text/javascript; charset=utf-8", followerPageScript),
      [paths.events]: () => this.#listen(request, response),
      "/favicon.ico": () => void response.writeHead(204, baseHeaders).end(),
    };
    const answer = Object.hasOwn(answers, pathname) ? answers[pathname] : undefined;
    if (answer === undefined) throw new Refusal(404, "There is nothing here.");
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      throw new Refusal(405, "Only GET and HEAD are answered here.");
    }
    answer();
  }

  #sendMetrics(request: IncomingMessage, response: ServerResponse): void {
    const type = chooseType(request.headers.accept, ["text/plain", openMetricsType]);
    const format = type === openMetricsType ? "openmetrics" : "prometheus";
    send(request, response, metricsTypes[type], formatFollowerMetrics(this.#status, format), { Vary: "Accept" });
  }

  #listen(request: IncomingMessage, response: ServerResponse): void {
    if (request.method === "HEAD" || this.events.isFull) {
      response.setHeader("Retry-After", "60");
      throw new Refusal(503, "Too many pages listen already.");
    }
    if (this.#status !== undefined) this.events.set(renderFollowerParts(this.#status, this.#page));
    this.events.add(response, baseHeaders);
  }

  async #control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method } = request;
    const { token } = this.#page;
    if (method !== "POST") {
      response.setHeader("Allow", "POST");
      throw new Refusal(405, "Controls are sent with POST.");
    }
    if (token === undefined)
      throw new Refusal(403, "There are no controls on an address that others reach; use tidemark sites.");
    if (!isOwnRequest(headers)) throw new Refusal(403, "Controls are taken from this server's own page only.");
    if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(headers["content-type"] ?? ""))
      throw new Refusal(415, "Controls are sent as a form.");
    const form = new URLSearchParams(await readForm(request));
    if (!isSameSecret(form.get("token") ?? "", token))
      throw new Refusal(403, "This page is of an earlier run of the crawler; load it again.");
    await this.#decide(readDecision(form));
    send(request, response, "text/plain; charset=utf-8", "Done.\n", { Location: "/" }, 303);
  }

  async #decide(decision: SiteDecision): Promise<void> {
    try {
      await this.#options.decide(decision);
    } catch (error) {
      if (error instanceof TidemarkError && error.code === "not-found") throw new Refusal(404, error.message);
      throw error;
    }
  }
}

function readDecision(form: URLSearchParams): SiteDecision {
  const site = parseUrl(form.get("site")?.trim() ?? "")?.origin;
  if (site === undefined || !/^https?:/.test(site))
    throw new Refusal(400, "The site is not a URL such as https://example.org/.");
  const action = form.get("action");
  if (action === "visit") return { site, isDue: true };
  if (action === "pause" || action === "resume") return { site, isPaused: action === "pause" };
  throw new Refusal(400, "The action is none of pause, resume and visit.");
}

async function readForm(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > mostFormBytes) throw new Refusal(413, "The form is too long.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...baseHeaders, ...more, "Content-Type": type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

/**
 * Serves the metrics of a follower at `/metrics`, and at `/` a page with its sites and controls.
 *
 * On the loopback; elsewhere only with names for it, and then without controls: nobody is asked for a password.
 *
 * @throws TidemarkError `bad-option` for an address that others reach and no name, or one that is none; `address-in-use`, `no-permission`, `io`
 */
export async function serveFollower(options: FollowerServerOptions): Promise<FollowerServer> {
  const { host, port, allowedHosts = [] } = options;
  if (!isLoopback(host) && allowedHosts.length === 0)
    throw new TidemarkError("bad-option", `Other machines can reach ${host}, and whoever does sees all sites.`, {
      hint: "Use 127.0.0.1, or name the host that they ask for, such as --allow-host crawler.example.net.",
    });
  const odd = allowedHosts.find((name) => !isIP(name) && !/^[\w.-]+$/.test(name));
  if (odd !== undefined)
    throw new TidemarkError("bad-option", `${excerpt(odd)} is not a host.`, {
      hint: "--allow-host takes a name or an address, without a scheme and a port.",
    });
  const site = new FollowerSite(options);
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    void site.answer(request, response);
  });
  server.maxConnections = mostConnections;
  try {
    const listening = await listen(server, host, port);
    return {
      ...listening,
      show: (status) => site.show(status),
      [Symbol.asyncDispose]: async () => {
        site.events[Symbol.dispose]();
        await endServer(server);
      },
    };
  } catch (error) {
    site.events[Symbol.dispose]();
    if (!(error instanceof TidemarkError) || error.code !== "address-in-use") throw error;
    throw new TidemarkError("address-in-use", error.message, {
      hint: "Choose another port with --listen, or 0 for any free one.",
      details: { host, port },
      cause: error,
    });
  }
}
