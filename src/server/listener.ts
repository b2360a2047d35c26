import type { Server } from "node:http";
import { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { wrapSystemError } from "../core/index.ts";

/** Where a server listens. */
export interface Listening {
  /** Its origin, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly port: number;
}

/** Lets a server listen. @param port - 0 for any that is free @throws TidemarkError `address-in-use`, `no-permission`, `io` */
export async function listen(server: Server | SecureServer, host: string, port: number): Promise<Listening> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen({ host, port }, resolve);
    });
    server.removeAllListeners("error");
  } catch (error) {
    throw wrapSystemError(error, `listen on ${host} port ${port}`, { host, port });
  }
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  const scheme = server instanceof SecureServer ? "https" : "http";
  return { url: `${scheme}://${name}:${address.port}`, port: address.port };
}

/** Ends a server at once: answers that are being sent are cut. May be called twice. */
export async function endServer(server: Server | SecureServer): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
