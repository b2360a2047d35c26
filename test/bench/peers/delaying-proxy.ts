import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback that makes a server far away. */
export interface DelayingProxy {
  readonly port: number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Hands on what comes, in order, each piece so much later. As much as comes: latency, not bandwidth. */
function forward(from: Socket, to: Socket, delayMs: number): void {
  from.on("data", (chunk: Buffer) => setTimeout(() => to.write(chunk), delayMs));
  from.on("end", () => setTimeout(() => to.end(), delayMs));
  from.on("error", () => to.destroy());
  from.on("close", () => setTimeout(() => to.destroy(), 2 * delayMs));
}

/**
 * Starts a proxy that delays every piece of data in each direction, and a connection's first by one round
 * trip more, as TCP's handshake would.
 *
 * @param delayMs - of each way, in milliseconds
 * @param port - to listen on; 0 for any free one
 */
export async function startDelayingProxy(targetPort: number, delayMs: number, port = 0): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (client) => {
    const upstream = connect({ port: targetPort, host: "127.0.0.1", noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    }
    forward(client, upstream, delayMs);
    forward(upstream, client, delayMs);
    client.pause();
    setTimeout(() => client.resume(), 2 * delayMs);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
