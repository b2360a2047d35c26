import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createFetcher, type Fetcher, type FetcherOptions } from "../../src/http/fetcher.ts";

/** A server of which every byte is the test's own. */
export interface RawServer {
  readonly origin: string;
  readonly port: number;
  /** The heads of all requests, one character a byte. */
  readonly heads: readonly string[];
  /** All connections that were ever made. */
  readonly sockets: readonly Socket[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Listens on a free loopback port.
 *
 * @param answer - called with each request's head; `count` is 1 for the first of its connection
 */
export async function listenRaw(answer: (socket: Socket, head: string, count: number) => void): Promise<RawServer> {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let received = "";
    let count = 0;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      for (let end = received.indexOf("\r\n\r\n"); end !== -1; end = received.indexOf("\r\n\r\n")) {
        const head = received.slice(0, end);
        received = received.slice(end + 4);
        heads.push(head);
        answer(socket, head, ++count);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    heads,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** An answer with a length; lines of fields without their ends. */
export function plainAnswer(status: number, fields: readonly string[] = [], body = ""): string {
  return `${[`HTTP/1.1 ${status} Word`, ...fields, `Content-Length: ${body.length}`].join("\r\n")}\r\n\r\n${body}`;
}

/** Writes a piece again and again, as fast as it is read, until the connection ends. */
export function pour(socket: Socket, piece: string): void {
  socket.write(piece, (error) => {
    if (error === null || error === undefined) setImmediate(pour, socket, piece);
  });
}

/** Writes a piece each few milliseconds until the connection ends. */
export function drip(socket: Socket, piece = "x"): void {
  const timer = setInterval(() => socket.write(piece), 5);
  socket.on("close", () => clearInterval(timer));
}

/** Resolves once the other side has closed the connection; rejects if it has not in a long time. */
export async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return;
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("the connection is still open")), 20_000);
    socket.once("close", () => resolve(clearTimeout(timer)));
  });
}

/** A fetcher for servers of this machine. */
export function createLocalFetcher(options: FetcherOptions = {}): Fetcher {
  return createFetcher({ allowPrivate: true, ...options });
}
