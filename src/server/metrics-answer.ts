import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { excerpt, TidemarkError } from "../core/index.ts";
import type { MetricsFormat } from "../report/index.ts";
import { chooseType } from "./accepted-type.ts";
import { isAskedByName, isLoopback } from "./request-guard.ts";
import { parseTarget } from "./request-path.ts";

/** Where a status is served. */
export interface StatusAddress {
  /** Address to listen on. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Names and addresses by which others reach it; none but the loopback's are needed on the loopback. */
  readonly allowedHosts?: readonly string[];
}

export const mostConnections = 256;
const openMetricsType = "application/openmetrics-text";
const metricsTypes = {
  [openMetricsType]: "application/openmetrics-text; version=1.0.0; charset=utf-8",
  "text/plain": "text/plain; version=0.0.4; charset=utf-8",
} as const;

export const baseHeaders: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  // Without an origin of its own a form could not be told from that of another site.
  "Referrer-Policy": "same-origin",
};

/** An answer that is not what was asked for. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Answers what is thrown. */
export async function refuseWhatIsThrown(
  request: IncomingMessage,
  response: ServerResponse,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    const [status, message] = error instanceof Refusal ? [error.status, error.message] : [500, "Something went wrong."];
    // What is left of a body that was refused is not read.
    if (!request.complete) response.setHeader("Connection", "close");
    if (!response.headersSent) send(request, response, "text/plain; charset=utf-8", `${message}\n`, {}, status);
  }
}

/** @throws Refusal if the request names no path */
export function targetOf({ url = "" }: IncomingMessage): URL {
  const target = parseTarget(url);
  if (target === undefined) throw new Refusal(400, "The request names no path.");
  return target;
}

export function refuseOtherNames(request: IncomingMessage, names: ReadonlySet<string>): void {
  if (!isAskedByName(request.headers, names))
    throw new Refusal(421, "This server is not reached by that name (see --allow-host).");
}

/** @param what - may be seen there @throws TidemarkError `bad-option` for an address that others reach and no name, or one that is none */
export function checkAddress({ host, allowedHosts = [] }: StatusAddress, what: string): void {
  if (!isLoopback(host) && allowedHosts.length === 0)
    throw new TidemarkError("bad-option", `Other machines can reach ${host}, and whoever does sees ${what}.`, {
      hint: "Use 127.0.0.1, or name the host that they ask for, such as --allow-host crawler.example.net.",
    });
  const odd = allowedHosts.find((name) => !isIP(name) && !/^[\w.-]+$/.test(name));
  if (odd !== undefined)
    throw new TidemarkError("bad-option", `${excerpt(odd)} is not a host.`, {
      hint: "--allow-host takes a name or an address, without a scheme and a port.",
    });
}

/** Says of a port in use what to do. */
export function explainPort(error: unknown, { host, port }: StatusAddress): unknown {
  if (!(error instanceof TidemarkError) || error.code !== "address-in-use") return error;
  return new TidemarkError("address-in-use", error.message, {
    hint: "Choose another port with --listen, or 0 for any free one.",
    details: { host, port },
    cause: error,
  });
}

/** Sends metrics in the format that is asked for. */
export function sendMetrics(
  request: IncomingMessage,
  response: ServerResponse,
  formatMetrics: (format: MetricsFormat) => string,
): void {
  const type = chooseType(request.headers.accept, ["text/plain", openMetricsType]);
  const format = type === openMetricsType ? "openmetrics" : "prometheus";
  send(request, response, metricsTypes[type], formatMetrics(format), { Vary: "Accept" });
}

export function send(
  request: IncomingMessage,
  response: ServerResponse,
  type: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
  status = 200,
): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...baseHeaders, ...more, "Content-Type": type, "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
