import { Agent, get, type IncomingMessage } from "node:http";
import type { ServedRequest } from "../server/index.ts";
import type { Traffic } from "./report.ts";

interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

const connections = 4;

// Several times faster than reading the pieces one by one, which a comparison of costs owes to the other side.
function endOf(response: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on("end", resolve).on("error", reject).on("close", resolve).resume();
  });
}

/**
 * What a crawler without archives does, at its best: it is told every URL, and asks for each of them.
 *
 * Whether it sends the validators of its last visit makes it a poller or a downloader of everything.
 */
export class Downloader {
  readonly #origin: string;
  readonly #conditional: boolean;
  readonly #userAgent: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections });
  readonly #known = new Map<string, Validators>();

  constructor(origin: string, conditional: boolean, userAgent = "tidemark-demo") {
    this.#origin = origin;
    this.#conditional = conditional;
    this.#userAgent = userAgent;
  }

  /**
   * Asks for every page, and for those that were there last time.
   *
   * @returns the number of requests
   */
  async visit(paths: readonly string[], signal: AbortSignal | undefined): Promise<number> {
    const waiting = [...new Set([...paths, ...this.#known.keys()])];
    const requests = waiting.length;
    const work = async (): Promise<void> => {
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) await this.#ask(path, signal);
    };
    await Promise.all(Array.from({ length: connections }, work));
    return requests;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #ask(path: string, signal: AbortSignal | undefined): Promise<void> {
    const known = this.#conditional ? this.#known.get(path) : undefined;
    const headers: Record<string, string> = { "user-agent": this.#userAgent };
    if (known?.etag !== undefined) headers["if-none-match"] = known.etag;
    if (known?.lastModified !== undefined) headers["if-modified-since"] = known.lastModified;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(this.#origin + path, { agent: this.#agent, headers, ...(signal && { signal }) }, resolve).on("error", reject);
    });
    await endOf(response);
    if (response.statusCode === 404) this.#known.delete(path);
    else if (response.statusCode === 200) {
      this.#known.set(path, { etag: response.headers.etag, lastModified: response.headers["last-modified"] });
    }
  }
}

const logLagMs = 5000;
const metadataPath = /^\/(?:\.well-known\/tidemark\/|robots\.txt$)/;

/** Adds up a server's log, visit by visit. */
export class TrafficMeter {
  #entries: ServedRequest[] = [];

  add(entry: ServedRequest): void {
    this.#entries.push(entry);
  }

  /**
   * What was asked since the last call.
   *
   * @param expected - requests that the client counted; the server's log may lag behind by a moment
   * @throws RangeError if the log has another number of them
   */
  async take(expected: number): Promise<Traffic> {
    for (const until = performance.now() + logLagMs; this.#entries.length < expected && performance.now() < until; ) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (this.#entries.length !== expected) {
      throw new RangeError(`the client counted ${expected} requests, the server ${this.#entries.length}`);
    }
    const entries = this.#entries;
    this.#entries = [];
    return {
      requests: entries.length,
      notModified: entries.filter((entry) => entry.status === 304).length,
      metadataRequests: entries.filter((entry) => metadataPath.test(entry.path)).length,
      bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    };
  }
}
