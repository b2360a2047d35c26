import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server of this machine that can be cut. */
export interface TcpCut extends Disposable {
  readonly port: number;
  /** Lets nothing pass, in either direction, and refuses new connections, until it is called with false. */
  cut(isCut: boolean): void;
}

/** Opens a way to a port. */
export async function openTcpCut(to: number): Promise<TcpCut> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(to, "127.0.0.1");
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on("data", (data) => void (isCut || other.write(data)));
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut: (now) => {
      isCut = now;
      // What passed by halves meanwhile would be another protocol.
      if (!now) for (const socket of open) socket.destroy();
    },
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
