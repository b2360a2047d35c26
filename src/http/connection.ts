import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { buildConnector, Client } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { isBadAnswer } from "./failure.ts";
import { loadUndiciClient } from "./undici-client.ts";

/** A request as it is sent. */
export interface Message {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Names in lower case and values in turn, one character (0 to 255) a byte. */
  readonly fields: string[];
  /** Sent in UTF-8; undefined for none. */
  readonly body?: string;
}

/**
 * Takes one answer, by the names of undici's callbacks.
 *
 * After `onComplete` or `onError` nothing more comes.
 */
export interface AnswerReceiver {
  /** There is a connection, and the request goes out. */
  onConnect(): void;
  onResponseStarted(): void;
  /**
   * @param status - below 200 for an interim answer, of which the fields may be missing
   * @param raw - names and values in turn, as bytes
   * @param resume - to be called where `onData` said that it wanted to wait
   */
  onHeaders(status: number, raw: Buffer[], resume: () => void, reason: string): boolean;
  /** @returns false if the next piece is to wait */
  onData(chunk: Buffer): boolean;
  /** The body has ended as its framing says. */
  onComplete(): void;
  onError(error: Error): void;
}

/** How connections are made. */
export interface ConnectionSettings {
  /** Time to make one, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly guard: AddressGuard;
  /** Whom TLS trusts; undefined for Node's own authorities. */
  readonly secureContext?: SecureContext | undefined;
}

/** Fields of one answer may have this many bytes together. */
const maxFieldBytes = 32 * 1024;

/** One connection to an origin in HTTP/1.1, made again whenever it was lost; it carries one request at a time. */
export class Connection {
  readonly #origin: string;
  readonly #settings: ConnectionSettings;
  readonly #onLost: (connection: Connection) => void;
  #client: Client | undefined;
  #socket: Socket | undefined;
  /** Of the TLS connection before, to resume it (RFC 8446 section 2.2). */
  #session: Buffer | undefined;
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

  /** Whether it broke since more came than an answer. undici knows that once the answer is told, within the same turn. */
  get isOverrun(): boolean {
    const error = this.#socket?.errored ?? undefined;
    return error !== undefined && (error.name === "HTTPParserError" || isBadAnswer(error));
  }

  /** Numeric address of the server, while there is a connection. */
  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  /** Sends a request. */
  send({ method, path, fields, body }: Message, receiver: AnswerReceiver): void {
    this.#client ??= this.#open();
    this.#client.dispatch({ method, path, headers: fields, ...(body === undefined ? {} : { body }) }, receiver);
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

  #open(): Client {
    const { Client } = loadUndiciClient();
    const client = new Client(this.#origin, {
      // The deadline of the whole request takes the place of these.
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
    const connect = loadUndiciClient().buildConnector({
      timeout: connectTimeoutMs,
      lookup: guard.lookupFor(this.#origin),
      allowH2: false,
      // undici holds its own sessions by weak references, so that the next collection of garbage loses them.
      maxCachedSessions: 0,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(this.#session === undefined ? {} : { session: this.#session }),
    }) as (...args: Parameters<buildConnector.connector>) => Socket;
    this.#watch(connect(options, callback));
  }

  // undici knows its socket only once it is connected; we must be able to end it before.
  #watch(socket: Socket): void {
    this.#isReset = false;
    this.#socket = socket;
    socket.on("session", (session: Buffer) => {
      this.#session = session;
    });
    socket.on("error", (error) => {
      if ((error as { code?: unknown }).code === "ECONNRESET") this.#isReset = true;
    });
  }
}
