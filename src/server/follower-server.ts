import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { parseUrl, TidemarkError } from "../core/index.ts";
import type { FollowStatus, SiteDecision } from "../crawler/index.ts";
import {
  type FollowerPageOptions,
  followerPageScript,
  followerPageStyle,
  formatFollowerMetrics,
  renderFollowerPage,
  renderFollowerParts,
} from "../report/index.ts";
import { EventStream } from "./event-stream.ts";
import { endServer, type Listening, listen } from "./listener.ts";
import {
  baseHeaders,
  checkAddress,
  explainPort,
  mostConnections,
  Refusal,
  refuseOtherNames,
  refuseWhatIsThrown,
  type StatusAddress,
  send,
  sendMetrics,
  targetOf,
} from "./metrics-answer.ts";
import { isLoopback, isOwnRequest, isSameSecret } from "./request-guard.ts";

/** Where a follower is shown, and who takes decisions. */
export interface FollowerServerOptions extends StatusAddress {
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
/** Parts of the page are made at most so often, however many listen. */
const leastUpdateMs = 900;
const pageHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "X-Frame-Options": "DENY",
};

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
    await refuseWhatIsThrown(request, response, async () => this.#route(request, response));
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseOtherNames(request, this.#names);
    const { pathname } = targetOf(request);
    if (pathname === paths.control) return await this.#control(request, response);
    const answers: Readonly<Record<string, () => void>> = {
      "/": () =>
        send(request, response, "text/html; charset=utf-8", renderFollowerPage(this.#status, this.#page), pageHeaders),
      "/metrics": () => sendMetrics(request, response, (format) => formatFollowerMetrics(this.#status, format)),
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

/**
 * Serves the metrics of a follower at `/metrics`, and at `/` a page with its sites and controls.
 *
 * On the loopback; elsewhere only with names for it, and then without controls: nobody is asked for a password.
 *
 * @throws TidemarkError `bad-option` for an address that others reach and no name, or one that is none; `address-in-use`, `no-permission`, `io`
 */
export async function serveFollower(options: FollowerServerOptions): Promise<FollowerServer> {
  const { host, port } = options;
  checkAddress(options, "all sites");
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
    throw explainPort(error, options);
  }
}
