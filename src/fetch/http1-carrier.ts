import type { buildConnector, Client } from "undici";
import type { AnswerReceiver, Carrier, Message } from "./carrier.ts";
import { loadUndiciClient } from "./undici-client.ts";

/** Fields of one answer may have this many bytes together. */
export const maxFieldBytes: number = 32 * 1024;

/** HTTP/1.1 by undici's client, which connects anew whenever its connection was lost. */
export class Http1Carrier implements Carrier {
  readonly protocol = "http/1.1";
  readonly isSpent = false;
  readonly #client: Client;

  /**
   * @param connect - makes its connections
   * @param onLost - called when one has ended, by whomever
   */
  constructor(origin: string, connect: buildConnector.connector, onLost: (carrier: Carrier) => void) {
    const { Client } = loadUndiciClient();
    this.#client = new Client(origin, {
      // The deadline of the whole request takes the place of these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxFieldBytes,
      connect,
    });
    this.#client.on("disconnect", () => onLost(this));
  }

  send({ method, path, fields, body }: Message, receiver: AnswerReceiver): void {
    this.#client.dispatch({ method, path, headers: fields, ...(body === undefined ? {} : { body }) }, receiver);
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }
}
