import type { Socket } from "node:net";
import type { SecureContext, TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import type { AnswerReceiver, Carrier, Message, Protocol } from "./carrier.ts";
import { isBadAnswer } from "./failure.ts";
import { Http1Carrier } from "./http1-carrier.ts";
import { Http2Carrier } from "./http2-carrier.ts";
import { type Connected, hostOf, SecureConnector } from "./secure-connector.ts";
import { loadUndiciClient } from "./undici-client.ts";

/** How connections are made. */
export interface ConnectionSettings {
  /** Time to make one, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly guard: AddressGuard;
  /** Whom TLS trusts; undefined for Node's own authorities. */
  readonly secureContext?: SecureContext | undefined;
  /** Which origins are to be spoken to in HTTP/1.1 although they may offer HTTP/2; who asks for that is added. */
  readonly http1Origins: { has(origin: string): boolean; add(origin: string): unknown };
}

/** One connection to an origin, made again whenever it was lost; it carries one request at a time. */
export class Connection {
  readonly #origin: string;
  readonly #settings: ConnectionSettings;
  readonly #onLost: (connection: Connection) => void;
  readonly #secure: SecureConnector | undefined;
  #carrier: Carrier | undefined;
  #socket: Socket | undefined;
  #protocol: Protocol = "http/1.1";
  #isUsed = false;
  #isReset = false;

  /** @param onLost - called when the connection has ended, by whomever */
  constructor(origin: string, settings: ConnectionSettings, onLost: (connection: Connection) => void) {
    this.#origin = origin;
    this.#settings = settings;
    this.#onLost = onLost;
    this.#secure = origin.startsWith("https:") ? new SecureConnector(origin, settings) : undefined;
  }

  /** Whether this very connection has carried an answer, so that the server may close it as idle. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Whether the connection ended by a reset, which undici takes for the end of a body without a length. */
  get isReset(): boolean {
    return this.#isReset && this.#protocol === "http/1.1";
  }

  /** Whether it broke since more came than an answer. undici knows that once the answer is told, within the same turn. */
  get isOverrun(): boolean {
    const error = this.#socket?.errored ?? undefined;
    return error !== undefined && (error.name === "HTTPParserError" || isBadAnswer(error));
  }

  /** What it speaks, or spoke last. */
  get protocol(): Protocol {
    return this.#protocol;
  }

  /** Numeric address of the server, while there is a connection. */
  get remoteAddress(): string | undefined {
    return this.#socket?.remoteAddress;
  }

  /** Sends a request. */
  send(message: Message, receiver: AnswerReceiver): void {
    const carrier = this.#carrier;
    if (carrier?.isSpent === false) {
      carrier.send(message, receiver);
      return;
    }
    void this.close();
    const secure = this.#secure;
    if (secure !== undefined && !this.#settings.http1Origins.has(this.#origin)) {
      this.#connectSecurely(secure, ["h2", "http/1.1"], (error, socket) => {
        if (error !== null) receiver.onError(error);
        else if (socket.alpnProtocol === "h2") this.#speakHttp2(socket).send(message, receiver);
        else this.#speakHttp1(socket).send(message, receiver);
      });
    } else {
      this.#speakHttp1(undefined).send(message, receiver);
    }
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
    const carrier = this.#carrier;
    const socket = this.#socket;
    this.#carrier = undefined;
    this.#socket = undefined;
    this.#isUsed = false;
    const closed = carrier?.close();
    socket?.destroy();
    await closed;
  }

  #speakHttp2(socket: TLSSocket): Carrier {
    this.#protocol = "h2";
    return this.#carry(
      new Http2Carrier(this.#origin, socket, {
        onLost: (carrier) => this.#lose(carrier),
        onHttp1Required: () => this.#settings.http1Origins.add(this.#origin),
      }),
    );
  }

  /** @param made - the first connection, where there is one already; others are made without asking for HTTP/2 */
  #speakHttp1(made: TLSSocket | undefined): Carrier {
    this.#protocol = "http/1.1";
    const secure = this.#secure;
    const connectAnew: buildConnector.connector =
      secure === undefined
        ? this.#plainConnector()
        : (_, callback) => this.#connectSecurely(secure, ["http/1.1"], callback);
    let first = made;
    const connect: buildConnector.connector = (options, callback) => {
      const ready = first;
      first = undefined;
      if (ready === undefined) connectAnew(options, callback);
      else queueMicrotask(() => callback(null, ready));
    };
    return this.#carry(new Http1Carrier(this.#origin, connect, (carrier) => this.#lose(carrier)));
  }

  #carry(carrier: Carrier): Carrier {
    this.#carrier = carrier;
    return carrier;
  }

  #lose(carrier: Carrier): void {
    if (carrier !== this.#carrier) return;
    this.#isUsed = false;
    this.#onLost(this);
  }

  #plainConnector(): buildConnector.connector {
    const { connectTimeoutMs, guard } = this.#settings;
    const build = loadUndiciClient().buildConnector;
    const connect = build({ timeout: connectTimeoutMs, lookup: guard.lookupFor(this.#origin) }) as (
      ...args: Parameters<buildConnector.connector>
    ) => Socket;
    return (options, callback) => {
      if (!this.#isRefused(callback)) this.#watch(connect(options, callback));
    };
  }

  #connectSecurely(secure: SecureConnector, protocols: readonly Protocol[], callback: Connected): void {
    if (this.#isRefused(callback)) return;
    const socket = secure.connect(protocols, (...result) => {
      // Whoever dropped the connection meanwhile does not wait for it.
      if (socket === this.#socket) callback(...result);
    });
    this.#watch(socket);
  }

  #isRefused(callback: Connected): boolean {
    const refused = this.#settings.guard.refuseHost(this.#origin, hostOf(this.#origin));
    if (refused !== undefined) queueMicrotask(() => callback(refused, null));
    return refused !== undefined;
  }

  // undici knows its socket only once it is connected; we must be able to end it before.
  #watch(socket: Socket): void {
    this.#isReset = false;
    this.#socket = socket;
    socket.on("error", (error) => {
      if ((error as { code?: unknown }).code === "ECONNRESET") this.#isReset = true;
    });
  }
}
