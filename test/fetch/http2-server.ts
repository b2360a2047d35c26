import { once } from "node:events";
import {
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { createFetcher, type Fetcher, type FetcherOptions } from "../../src/fetch/index.ts";
import { cert, key } from "./own-certificate.ts";

/** A server of HTTP/2 that keeps to its rules, by Node. */
export interface Http2Server {
  readonly origin: string;
  /** The fields of all requests, with the pseudo-fields. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** All connections of HTTP/2 that were ever made. */
  readonly sessions: readonly ServerHttp2Session[];
  /** Whether each connection resumed the TLS session of another. */
  readonly areResumed: readonly boolean[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Listens on a free loopback port, with TLS.
 *
 * @param answer - called with each stream; `count` is 1 for the first of its connection
 */
export async function listenHttp2(
  answer: (stream: ServerHttp2Stream, fields: IncomingHttpHeaders, count: number) => void,
): Promise<Http2Server> {
  const requests: IncomingHttpHeaders[] = [];
  const sessions: ServerHttp2Session[] = [];
  const areResumed: boolean[] = [];
  const server = createSecureServer({
    key,
    cert,
    maxHeaderListPairs: 5000,
    maxSendHeaderBlockLength: 1e6,
  });
  server.on("session", (session) => {
    sessions.push(session);
    session.on("error", () => undefined);
    let count = 0;
    session.on("stream", (stream, fields) => {
      requests.push(fields);
      stream.on("error", () => undefined);
      answer(stream, fields, ++count);
    });
  });
  server.on("secureConnection", (socket) => areResumed.push(socket.isSessionReused()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sessions,
    areResumed,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A fetcher that trusts these servers. */
export function createTrustingFetcher(options: FetcherOptions = {}): Fetcher {
  return createFetcher({ allowPrivate: true, ca: cert, ...options });
}
