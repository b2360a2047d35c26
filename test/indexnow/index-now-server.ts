import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the server does with one call instead of what the documentation says. */
export type Misdeed =
  | { readonly status: number; readonly fields?: Readonly<Record<string, string>> }
  /** The connection is reset before the call is looked at. */
  | "reset"
  /** The call is taken, and the answer lost. */
  | "lost-answer"
  | "silence";

/** One call that was received. */
export interface ReceivedCall {
  readonly urls: readonly string[];
  readonly status: number | string;
}

interface Call {
  readonly host: string;
  readonly key: string;
  readonly keyLocation: string;
  readonly urlList: readonly string[];
}

const uriForm = /^https?:\/\/[A-Za-z0-9.:-]+\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;

/**
 * A search engine that behaves as https://www.indexnow.org/documentation says: it looks at the key's file over HTTP,
 * at the host of each URL, at their number, at the key's form and at the content type.
 */
export class IndexNowServer {
  /** What is done with the next calls; when it is empty, they are judged. */
  readonly misdeeds: Misdeed[] = [];
  readonly calls: ReceivedCall[] = [];
  /** URLs of accepted calls, as often as they were told. */
  readonly accepted: string[] = [];
  /** Called with the number of a call, from 1, before it is answered. */
  onCall: (count: number) => void = () => undefined;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  url = "";

  static async open(): Promise<IndexNowServer> {
    const engine = new IndexNowServer();
    engine.#server.listen(0, "127.0.0.1");
    await once(engine.#server, "listening");
    engine.url = `http://127.0.0.1:${(engine.#server.address() as AddressInfo).port}/indexnow`;
    return engine;
  }

  /** Statuses of the calls since the last time. */
  takeStatuses(): (number | string)[] {
    return this.calls.splice(0).map(({ status }) => status);
  }

  /** Accepted URLs since the last time, sorted, without their origin. */
  takeAccepted(): string[] {
    return this.accepted
      .splice(0)
      .map((url) => url.replace(/^https?:\/\/[^/]+/, ""))
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => "");
    const misdeed = this.misdeeds.shift();
    const call = parseCall(body);
    const urls = call?.urlList ?? [];
    const judged = typeof misdeed === "object" ? misdeed.status : await judge(request, call);
    const isAccepted = judged < 300 && (misdeed === undefined || misdeed === "lost-answer");
    if (isAccepted) this.accepted.push(...urls);
    this.calls.push({ urls, status: typeof misdeed === "string" ? misdeed : judged });
    this.onCall(this.calls.length);
    if (misdeed === "silence") return;
    if (misdeed === "reset" || misdeed === "lost-answer") request.socket.resetAndDestroy();
    else response.writeHead(judged, misdeed?.fields ?? {}).end();
  }
}

function parseCall(body: string): Call | undefined {
  try {
    const call = JSON.parse(body) as Partial<Call>;
    const { host, key, keyLocation, urlList } = call;
    if (typeof host !== "string" || typeof key !== "string" || typeof keyLocation !== "string") return undefined;
    return Array.isArray(urlList) ? { host, key, keyLocation, urlList } : undefined;
  } catch {
    return undefined;
  }
}

async function judge(request: IncomingMessage, call: Call | undefined): Promise<number> {
  if (request.method !== "POST" || request.url !== "/indexnow") return 404;
  if (request.headers["content-type"] !== "application/json; charset=utf-8" || call === undefined) return 400;
  const { host, key, keyLocation, urlList } = call;
  if (urlList.length === 0 || urlList.length > 10_000 || !urlList.every((url) => uriForm.test(url))) return 400;
  if (new Set(urlList).size < urlList.length) return 400;
  if (!/^[A-Za-z0-9-]{8,128}$/.test(key) || !urlList.every((url) => new URL(url).host === host)) return 422;
  const location = new URL(keyLocation);
  if (location.host !== host || location.pathname !== `/${key}.txt`) return 422;
  const answer = await fetch(location, { headers: { connection: "close" } });
  if (!answer.ok || (await answer.text()) !== key) return 403;
  return urlList.length % 2 === 0 ? 200 : 202;
}
