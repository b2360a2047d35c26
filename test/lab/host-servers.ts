import type { IncomingMessage, ServerResponse } from "node:http";
import type { HostServer } from "../../lab/hosts/host-server.ts";
import { listenSite, type SiteServer } from "../site-server.ts";

/** Servers on loopback ports, one a site. */
export interface HostServers extends AsyncDisposable {
  readonly origins: readonly string[];
  /** Has these sites served from now on, each by its origin. */
  serve(hosts: ReadonlyMap<string, HostServer>, now: () => number): void;
}

async function answer(
  host: HostServer,
  now: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const came = await host.answer(
    {
      path: request.url ?? "/",
      ifNoneMatch: request.headers["if-none-match"],
      ifModifiedSince: request.headers["if-modified-since"],
    },
    now,
  );
  if (came.kind === "closed") request.socket.destroy();
  if (came.kind !== "answer") return;
  // The time of the sites is not that of the machine.
  response.sendDate = false;
  response.writeHead(came.status, came.fields).end(came.body);
}

/** Listens on so many free ports; two neighbours share an address. */
export async function listenHosts(count: number): Promise<HostServers> {
  const servers: SiteServer[] = [];
  for (let site = 0; site < count; site++)
    servers.push(await listenSite((_, response) => response.destroy(), `127.0.${site >> 1}.1`));
  return {
    origins: servers.map(({ origin }) => origin),
    serve: (hosts, now) => {
      for (const server of servers) {
        const host = hosts.get(server.origin);
        if (host === undefined) throw new TypeError(`nobody is ${server.origin}`);
        server.answer = (request, response) => void answer(host, now(), request, response);
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}
