import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A loopback server of a test's own. */
export interface SiteServer extends AsyncDisposable {
  readonly origin: string;
  /** Method and path of each request, in their order. */
  readonly requests: string[];
  /** What answers; may be replaced between requests. */
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Listens on a free port of a loopback address. */
export async function listenSite(answer: SiteServer["answer"], address = "127.0.0.1"): Promise<SiteServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    site.answer(request, response);
  });
  server.listen(0, address);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const site: SiteServer = {
    origin: `http://${address}:${port}`,
    requests: requests,
    answer: answer,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return site;
}

/** Time that passes only where somebody waits. */
export interface VirtualTiming {
  /** Each wait, in milliseconds. */
  readonly delays: readonly number[];
  readonly now: () => number;
  readonly delay: (delayMs: number) => Promise<void>;
}

/** Begins at a time in milliseconds since 1970. */
export function virtualTiming(startMs: number): VirtualTiming {
  let nowMs = startMs;
  const delays: number[] = [];
  const delay = async (delayMs: number): Promise<void> => {
    delays.push(delayMs);
    nowMs += delayMs;
  };
  return { delays: delays, now: () => nowMs, delay: delay };
}
