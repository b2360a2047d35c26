import type { Clock, ExchangeSink, FetchRequest } from "../core/index.ts";
import { encodeHttpHead } from "../formats/http/index.ts";
import type { Connection } from "./connection.ts";

/** Called with the head of a response. @returns the sink of its body, if there is one */
export type HeadWatcher = (status: number, raw: readonly Uint8Array[], reason: string) => ExchangeSink | undefined;

/** The target and fields of the request. */
export interface SentRequest {
  readonly origin: string;
  readonly path: string;
  /** Names and values alternating, as given to the connection. */
  readonly fields: readonly string[];
}

// One character per byte, as received.
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString("latin1");

/**
 * Builds exchange records for a request that asks for them.
 *
 * @returns undefined if no one asks, at no cost
 */
export function watchHead(
  { onExchange }: FetchRequest,
  sent: SentRequest,
  connection: Connection,
  clock: Clock,
): HeadWatcher | undefined {
  if (onExchange === undefined) return undefined;
  const startedAt = clock();
  return (status, raw, reason) => {
    const fields: [string, string][] = [];
    for (let at = 0; at + 1 < raw.length; at += 2) fields.push([textOf(raw[at]), textOf(raw[at + 1])]);
    // undici writes these two fields itself, before the given ones.
    const own: [string, string][] = [
      ["host", new URL(sent.origin).host],
      ["connection", "keep-alive"],
    ];
    for (let at = 0; at + 1 < sent.fields.length; at += 2) own.push([sent.fields[at] ?? "", sent.fields[at + 1] ?? ""]);
    return onExchange({
      url: sent.origin + sent.path,
      requestHead: encodeHttpHead({ startLine: `GET ${sent.path} HTTP/1.1`, fields: own }),
      responseHead: encodeHttpHead({ startLine: `HTTP/1.1 ${status} ${reason}`, fields }),
      status,
      remoteAddress: connection.remoteAddress,
      startedAt,
    });
  };
}
