import { createServer } from "node:http";
import type { MetricsFormat } from "../report/index.ts";
import { endServer, type Listening, listen } from "./listener.ts";
import {
  checkAddress,
  explainPort,
  mostConnections,
  Refusal,
  refuseOtherNames,
  refuseWhatIsThrown,
  type StatusAddress,
  sendMetrics,
  targetOf,
} from "./metrics-answer.ts";

/** Where metrics are served, and what they are. */
export interface MetricsServerOptions extends StatusAddress {
  /** What those who reach it see, as a part of a sentence. */
  readonly shows: string;
  /** Reads what the metrics are of; asked anew for each request, but by several at a time once. */
  readonly read: () => Promise<(format: MetricsFormat) => string>;
}

/**
 * Serves metrics at `/metrics`.
 *
 * @throws TidemarkError `bad-option` for an address that others reach and no name, or one that is none; `address-in-use`, `no-permission`, `io`
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<Listening & AsyncDisposable> {
  const { host, port, allowedHosts = [], shows, read } = options;
  checkAddress(options, shows);
  const names = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()));
  let reading: ReturnType<typeof read> | undefined;
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    void refuseWhatIsThrown(request, response, async () => {
      refuseOtherNames(request, names);
      if (targetOf(request).pathname !== "/metrics") throw new Refusal(404, "There is nothing here but /metrics.");
      if (request.method !== "GET" && request.method !== "HEAD") {
        response.setHeader("Allow", "GET, HEAD");
        throw new Refusal(405, "Only GET and HEAD are answered here.");
      }
      reading ??= read().finally(() => {
        reading = undefined;
      });
      sendMetrics(request, response, await reading);
    });
  });
  server.maxConnections = mostConnections;
  try {
    return { ...(await listen(server, host, port)), [Symbol.asyncDispose]: async () => endServer(server) };
  } catch (error) {
    throw explainPort(error, options);
  }
}
