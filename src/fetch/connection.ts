import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { buildConnector, Client, Dispatcher } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { loadUndiciClient } from "./undici-client.ts";

/** Fields of one answer may have this many bytes together. */
const maxHeaderBytes = 32 * 1024;

/** How connections are made. */
export interface ConnectionSettings {
  /** Time to make one, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly guard: AddressGuard;
  /** Whom TLS trusts; undefined for Node's own authorities. */
  readonly secureContext?: SecureContext | undefined;
}

/** One connection to an origin, made again whenever it was lost; it carries one request at a time. */
export class Connection {
  readonly #origin: string;
  readonly #settings: ConnectionSettings;
  readonly #onLost: (connection: Connection) => void;
  #client: Client | undefined;
  #socket: Socket | undefined;
  #isUsed = false;
  #isReset = false;

  /** @param onLost - called when the connection has ended, by whomever */
  constructor(origin: string, settings: ConnectionSettings, onLost: (connection: Connection) => void) {
    this.#origin = origin;
    this.#settings = settings;
    this.#onLost = onLost;
  }

  /** Whether this very connection has carried an answer, so that the server may close it as idle. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether the connection ended by a reset, which undici takes for the end of a body without a length. */
  get isReset(): boolean {
    return this.#isReset;
  }

  /** Numeric address of the server, while there is a connection. */
  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  /** Sends a GET. */
  send(path: string, headers: string[], handler: Dispatcher.DispatchHandler): void {
    this.#client ??= this.#connect();
    this.#client.dispatch({ method: "GET", path, headers }, handler);
  }

  /** Sends a POST. */
  sendBody(path: string, headers: string[], body: string, handler: Dispatcher.DispatchHandler): void {
    this.#client ??= this.#connect();
    this.#client.dispatch({ method: "POST", path, headers, body }, handler);
  }

  /** Notes that an answer came. */
  markUsed(): void {
    this.#isUsed = true;
  }

  /** Ends the connection at once; the next request makes another. */
  drop(): void {
    void this.close();
  }

  /** Ends the connection for good. */
  async close(): Promise<void> {
    const client = this.#client;
    const socket = this.#socket;
    this.#client = undefined;
    this.#socket = undefined;
    this.#isUsed = false;
    const closed = client?.destroy();
    socket?.destroy();
    await closed;
  }

  #connect(): Client {
    const { Client, buildConnector } = loadUndiciClient();
    const { connectTimeoutMs, guard, secureContext } = this.#settings;
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      lookup: guard.lookupFor(this.#origin),
      ...(secureContext === undefined ? {} : { secureContext }),
    }) as (...args: Parameters<buildConnector.connector>) => Socket;
    const client = new Client(this.#origin, {
      // The deadline of the whole request takes the place of these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxHeaderBytes,
      // undici knows its socket only once it is connected; we must be able to end it before.
      connect: (options, callback) => {
        this.#isReset = false;
        const refused = guard.refuseHost(this.#origin, options.hostname);
        if (refused !== undefined) return void queueMicrotask(() => callback(refused, null));
        const socket = connect(options, callback);
        socket.on("error", (error) => {
          if ((error as { code?: unknown }).code === "ECONNRESET") this.#isReset = true;
        });
        this.#socket = socket;
      },
    });
    client.on("disconnect", () => {
      if (client !== this.#client) return;
      this.#isUsed = false;
      this.#onLost(this);
    });
    return client;
  }
}
