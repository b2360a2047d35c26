import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import type { AddressGuard } from "./address-guard.ts";
import { codedError, type Protocol } from "./carrier.ts";
import type { ConnectionSettings } from "./connection.ts";
import { Deadline } from "./deadline.ts";

/** Told how a connection came about. */
export type Connected = (...result: [error: null, socket: TLSSocket] | [error: Error, socket: null]) => void;

/** The host of an origin, an address without its brackets. */
export function hostOf(origin: string): string {
  return new URL(origin).hostname.replace(/^\[|\]$/g, "");
}

const keepAliveDelayMs = 60_000;
/** TLS has no larger records. */
const recordBytes = 16 * 1024;

/** Makes connections over TLS to one origin, and resumes the session of the one before. */
export class SecureConnector {
  readonly #host: string;
  readonly #port: number;
  readonly #settings: ConnectionSettings;
  readonly #lookup: ReturnType<AddressGuard["lookupFor"]>;
  #session: Buffer | undefined;

  constructor(origin: string, settings: ConnectionSettings) {
    this.#host = hostOf(origin);
    this.#port = Number(new URL(origin).port || 443);
    this.#settings = settings;
    this.#lookup = settings.guard.lookupFor(origin);
  }

  /**
   * Makes one.
   *
   * @param protocols - what is offered by ALPN (RFC 7301), the best first
   * @param callback - called once, never before this returns, and not at all if the socket is destroyed meanwhile
   * @returns the socket while the connection is made
   */
  connect(protocols: readonly Protocol[], callback: Connected): TLSSocket {
    const { connectTimeoutMs, secureContext } = this.#settings;
    const host = this.#host;
    const session = this.#session;
    const options = {
      host,
      port: this.#port,
      // RFC 6066 section 3: an address is no name of a server.
      servername: isIP(host) === 0 ? host : "",
      ALPNProtocols: [...protocols],
      lookup: this.#lookup,
      highWaterMark: recordBytes,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(session === undefined ? {} : { session }),
    };
    const socket = connect(options);
    const deadline = new Deadline(connectTimeoutMs, () =>
      socket.destroy(codedError("ETIMEDOUT", `no connection to ${host} within ${connectTimeoutMs} ms`)),
    );
    let isTold = false;
    const tell: Connected = (...result) => {
      deadline.clear();
      if (isTold) return;
      isTold = true;
      callback(...result);
    };
    socket
      .setKeepAlive(true, keepAliveDelayMs)
      .setNoDelay(true)
      .on("session", (made) => {
        this.#session = made;
      })
      .once("secureConnect", () => tell(null, socket))
      .on("error", (error) => tell(error, null))
      .once("close", () => deadline.clear());
    return socket;
  }
}
