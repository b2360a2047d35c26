import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What happens to the next COMMIT: its answer is lost, it is lost itself, or no answer comes to anything any more. */
export type Cut = "answer" | "commit" | "silence";

/** A way to a server of PostgreSQL that breaks when it is told to, and may be slow. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server;
  readonly #sockets = new Set<Socket>();
  /** For the next connection that commits. */
  next: Cut | undefined;
  /** How often it was cut. */
  cuts = 0;
  /** Bytes that the server's answers have a second. */
  bytesPerSecond: number = Number.POSITIVE_INFINITY;
  port = 0;

  constructor(toPort: number) {
    this.#server = createServer((client) => this.#join(client, connect(toPort, "127.0.0.1")));
  }

  async listen(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    let cut: Cut | undefined;
    let isSilent = false;
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("data", (bytes) => {
      if (isSilent) return;
      if (this.next !== undefined && bytes.includes("COMMIT")) {
        cut = this.next;
        this.next = undefined;
        this.cuts++;
      }
      if (cut === "commit") end();
      else server.write(bytes);
      // The commit arrives, its answer does not.
      isSilent = cut === "silence";
    });
    server.on("data", (bytes) => {
      if (isSilent) return;
      server.pause();
      setTimeout(() => server.resume(), (bytes.length / this.bytesPerSecond) * 1000);
      if (cut !== "answer") client.write(bytes);
      else if (bytes.includes("COMMIT")) end();
    });
  }
}
