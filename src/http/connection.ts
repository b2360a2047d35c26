import { createRequire } from "node:module";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { buildConnector, Client } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { isBadAnswer } from "./failure.ts";
import { type ForwardProxy, openSocksTunnel, openTunnel } from "./proxy.ts";

/** A request as sent. */
export interface Message {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Lower-case names and values alternating, one character (0 to 255) per byte. */
  readonly fields: string[];
  /** Sent in UTF-8; undefined for no body. */
  readonly body?: string;
}

/**
 * Receives one response; the methods are named after undici's callbacks.
 *
 * Nothing follows `onComplete` or `onError`.
 */
export interface AnswerReceiver {
  /** The connection is made and the request is being sent. */
  onConnect(): void;
  onResponseStarted(): void;
  /**
   * @param status - below 200 for an interim response, whose fields may be missing
   * @param raw - names and values alternating, as bytes
   * @param resume - to be called after `onData` returned false, once more data can be taken
   */
  onHeaders(status: number, raw: Buffer[], resume: () => void, reason: string): boolean;
  /** @returns false if the next piece has to wait */
  onData(chunk: Buffer): boolean;
  /** The body is complete according to its framing. */
  onComplete(): void;
  onError(error: Error): void;
}

/** Settings of connections. */
export interface ConnectionSettings {
  /** Time limit to connect, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly guard: AddressGuard;
  /** Trusted TLS authorities; undefined for those of Node. */
  readonly secureContext?: SecureContext | undefined;
  /** Undefined for direct connections. */
  readonly proxy?: ForwardProxy | undefined;
  /** Asked at the instant at which something is about to be sent to the site; false closes the connection. Default: true. */
  readonly mayWrite?: (() => boolean) | undefined;
}

/** Most bytes of all fields of one response together. */
const maxFieldBytes = 32 * 1024;

/** One HTTP/1.1 connection to an origin, reconnected whenever it was lost. It carries one request at a time. */
export class Connection {
  readonly #origin: string;
  readonly #settings: ConnectionSettings;
  readonly #onLost: (connection: Connection) => void;
  #client: Client | undefined;
  #socket: Socket | undefined;
  /** Session of the previous TLS connection, for resumption (RFC 8446 section 2.2). */
  #session: Buffer | undefined;
  #isUsed = false;
  #isReset = false;

  /** @param onLost - called when the connection has ended, from either side */
  constructor(origin: string, settings: ConnectionSettings, onLost: (connection: Connection) => void) {
    this.#origin = origin;
    this.#settings = settings;
    this.#onLost = onLost;
  }

  /** Whether this connection has carried a response, so that the server may close it as idle. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether the connection ended with a reset. undici treats that as the end of a body without a length. */
  get isReset(): boolean {
    return this.#isReset;
  }

  /**
   * Whether it failed because bytes followed the response. undici reports that right after the response, in the same
   * event-loop turn.
   */
  get isOverrun(): boolean {
    const error = this.#socket?.errored ?? undefined;
    return error !== undefined && (error.name === "HTTPParserError" || isBadAnswer(error));
  }

  /** Numeric address of the server, while there is a connection; undefined behind a proxy. */
  get remoteAddress(): string | undefined {
    return this.#settings.proxy === undefined ? this.#socket?.remoteAddress : undefined;
  }

  /** Whether requests are read by a proxy, and not only by the server at the other end of a tunnel. */
  get isForwarded(): boolean {
    return this.#settings.proxy?.scheme === "http" && this.#origin.startsWith("http:");
  }

  /** Sends a request. */
  send({ method, path, fields, body }: Message, receiver: AnswerReceiver): void {
    this.#client ??= this.#open();
    const { authorization } = this.#settings.proxy ?? {};
    const login = this.isForwarded && authorization !== undefined ? ["proxy-authorization", authorization] : [];
    const target = {
      path: this.isForwarded ? this.#origin + path : path,
      headers: login.length === 0 ? fields : [...fields, ...login],
    };
    this.#client.dispatch({ method, ...target, ...(body === undefined ? {} : { body }) }, receiver);
  }

  /** Records that a response came, unless the connection was dropped with it. */
  markUsed(): void {
    this.#isUsed = this.#client !== undefined;
  }

  /** Closes the connection at once; the next request reconnects. */
  drop(): void {
    void this.close();
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    const client = this.#client;
    const socket = this.#socket;
    this.#client = undefined;
    this.#socket = undefined;
    this.#isUsed = false;
    const closed = client?.destroy(ended);
    socket?.destroy();
    await closed;
  }

  #open(): Client {
    const { Client } = loadUndiciClient();
    const client = new Client(this.#origin, {
      // The deadline of the whole request replaces these timeouts.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxFieldBytes,
      connect: (options, callback) => this.#connect(options, callback),
    });
    client.on("disconnect", () => {
      if (client !== this.#client) return;
      this.#isUsed = false;
      this.#onLost(this);
    });
    return client;
  }

  #connect(...[options, callback]: Parameters<buildConnector.connector>): void {
    const { connectTimeoutMs, guard, secureContext } = this.#settings;
    const refused = guard.refuseHost(this.#origin, new URL(this.#origin).hostname.replace(/^\[|\]$/g, ""));
    if (refused !== undefined) {
      queueMicrotask(() => callback(refused, null));
      return;
    }
    const { proxy } = this.#settings;
    const connect = loadUndiciClient().buildConnector({
      timeout: connectTimeoutMs,
      ...(proxy === undefined ? { lookup: guard.lookupFor(this.#origin) } : {}),
      allowH2: false,
      // undici holds its own sessions by weak references and loses them at the next garbage collection.
      maxCachedSessions: 0,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    }) as (...args: Parameters<buildConnector.connector>) => Socket;
    if (proxy === undefined) this.#watch(connect(options, callback));
    else this.#connectBy(proxy, connect, options, callback);
  }

  /** Connects to a proxy, which forwards requests to the origin, or opens a tunnel to it. */
  #connectBy(
    proxy: ForwardProxy,
    connect: (...args: Parameters<buildConnector.connector>) => Socket,
    ...[options, callback]: Parameters<buildConnector.connector>
  ): void {
    const { connectTimeoutMs: timeout, guard } = this.#settings;
    const { hostname, port } = proxy;
    const reach = loadUndiciClient().buildConnector({ timeout, allowH2: false }) as typeof connect;
    const host = hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
    const first = reach({ ...options, hostname, host, port, protocol: "http:" }, (...result) => {
      const [error, socket] = result;
      if (error !== null || this.isForwarded) return callback(...result);
      const url = new URL(this.#origin);
      const host = url.hostname.replace(/^\[|\]$/g, "");
      const target = { host, port: Number(url.port || (url.protocol === "https:" ? 443 : 80)) };
      const end = (refused: Error | null): void => {
        if (refused !== null) {
          socket.destroy();
          callback(refused, null);
        } else if (url.protocol === "https:") this.#watch(connect({ ...options, httpSocket: socket }, callback));
        else callback(null, socket);
      };
      if (proxy.scheme === "http") return openTunnel(socket, target, proxy, end);
      if (proxy.scheme === "socks5h") return openSocksTunnel(socket, target, proxy, end);
      return guard.lookupFor(this.#origin)(host, { family: 0 }, (unknown, address) => {
        if (unknown !== null) end(unknown);
        else openSocksTunnel(socket, { ...target, host: address as string }, proxy, end);
      });
    });
    this.#watch(first);
  }

  // undici exposes its socket only once it is connected; it must be possible to close it earlier.
  #watch(socket: Socket): void {
    this.#isReset = false;
    this.#socket = socket;
    const { mayWrite } = this.#settings;
    if (mayWrite !== undefined) guardWrites(socket, mayWrite);
    socket.on("session", (session: Buffer) => {
      this.#session = session;
    });
    socket.on("error", (error) => {
      if ((error as { code?: unknown }).code === "ECONNRESET") this.#isReset = true;
    });
  }
}

/** A process that was frozen goes on anywhere, so that it is asked as late as possible. */
function guardWrites(socket: Socket, mayWrite: () => boolean): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    if (mayWrite()) return write(...args);
    socket.destroy(new Error("nothing may be sent any more"));
    return false;
  };
}

/** To make one for each connection takes as long as a small request. */
const ended = new Error("the connection was closed");

/** Waits for a connection. */
export interface Waiter {
  /**
   * Called with a connection that belongs to the waiter until it is released.
   *
   * @returns false if none is needed any more
   */
  accept(connection: Connection): boolean;
}

/** The connections to one origin and the queue for them. */
export class Origin {
  readonly #origin: string;
  readonly #maxConnections: number;
  readonly #settings: ConnectionSettings;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: Waiter[] = [];

  /** @param onEmpty - called when no connection is left */
  constructor(origin: string, maxConnections: number, settings: ConnectionSettings, onEmpty: () => void) {
    this.#origin = origin;
    this.#maxConnections = maxConnections;
    this.#settings = settings;
    this.#onEmpty = onEmpty;
  }

  /** Gives the waiter a connection, now or when one is released; first come, first served. */
  admit(waiter: Waiter): void {
    this.#waiting.push(waiter);
    this.#serve();
  }

  /** Takes back a connection. */
  release(connection: Connection): void {
    this.#idle.push(connection);
    // undici ends the process if it is given a request while it tells that another one failed.
    if (this.#waiting.length > 0) queueMicrotask(() => this.#serve());
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  #serve(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop() ?? this.#open();
      if (connection === undefined) return;
      if (this.#waiting.shift()?.accept(connection) !== true) this.#idle.push(connection);
    }
  }

  #open(): Connection | undefined {
    if (this.#connections.size >= this.#maxConnections) return undefined;
    const connection = new Connection(this.#origin, this.#settings, (lost) => this.#forget(lost));
    this.#connections.add(connection);
    return connection;
  }

  // undici reconnects a connection in use; an idle lost one must be removed.
  #forget(connection: Connection): void {
    const at = this.#idle.indexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#connections.delete(connection);
    if (this.#connections.size === 0 && this.#waiting.length === 0) this.#onEmpty();
  }
}

/** The two parts of undici in use. */
interface UndiciClient {
  readonly Client: typeof Client;
  readonly buildConnector: typeof buildConnector;
}

const require = createRequire(import.meta.url);
let loaded: UndiciClient | undefined;

/**
 * Loads undici's HTTP/1.1 client at first use.
 *
 * The whole package takes 90 ms to load, its client 30 ms. Falls back to the package if a later 7.x has moved its
 * files.
 */
function loadUndiciClient(): UndiciClient {
  loaded ??= loadParts() ?? require("undici");
  return loaded as UndiciClient;
}

function loadParts(): UndiciClient | undefined {
  try {
    return {
      Client: require("undici/lib/dispatcher/client.js"),
      buildConnector: require("undici/lib/core/connect.js"),
    };
  } catch (error) {
    if ((error as { code?: unknown }).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}
